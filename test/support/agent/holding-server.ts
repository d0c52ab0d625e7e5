/**
 * A server in a process of its own, for tests that kill or pause it. Takes runs from the database
 * that is its first argument, under leases of as many ms as the second says, and never ends them.
 * Prints `begun <run>` for each, and when it is told to stop one, `<kind of reason> <run>`.
 */
import { randomUUID } from 'node:crypto'
import { systemClock } from '../../../src/core/clock.ts'
import { silentLog } from '../../../src/core/log.ts'
import { stopReasonOf } from '../../../src/queue/execution.ts'
import { hostId } from '../../../src/queue/host-processes.ts'
import { Queue } from '../../../src/queue/queue.ts'
import { openAgentStore } from '../../../src/storage/agent/store.ts'

const [path = '', leaseMs] = process.argv.slice(2)

const queue = new Queue({
  store: await openAgentStore(path),
  server: { server_id: randomUUID(), host: hostId(), pid: process.pid },
  leaseMs: Number(leaseMs),
  concurrency: 10,
  clock: systemClock,
  log: silentLog,
})
await queue.start({
  execute: (run, _lease, signal) => {
    process.stdout.write(`begun ${run.run_id}\n`)
    signal.addEventListener('abort', () => {
      process.stdout.write(`${stopReasonOf(signal)?.kind} ${run.run_id}\n`)
    })
    return new Promise(() => {})
  },
  onExhausted: async () => {},
})

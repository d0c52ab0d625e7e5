import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { closedGate } from '../../support/agent/gate.ts'
import { eventually } from '../../support/eventually.ts'
import { forAllTests } from '../../support/running.ts'

const server = forAllTests(() => startAgentServer({ projectName: 'deaf', abortLimitMs: 100 }))

test('a graph that does not heed its signal is left behind, and writes nothing more', async () => {
  const { client } = server
  const { thread_id } = await client.threads.create()
  const gates = [await closedGate(), await closedGate()] as const
  const input = { gate: gates[0].path }
  const { run_id } = await client.runs.create(thread_id, 'deaf', { input })
  await eventually(async () => (await client.threads.getState(thread_id)).next).toEqual(['first'])
  await client.runs.cancel(thread_id, run_id, true)
  expect((await client.runs.get(thread_id, run_id)).status).toBe('interrupted')

  const gate = gates[1].path
  const next = await client.runs.create(thread_id, 'deaf', { input: { gate } })
  const isNext = { run_id: next.run_id }
  await eventually(async () => (await client.threads.getState(thread_id)).metadata).toMatchObject(
    isNext,
  )
  // It goes on in the middle of the next run, which takes its time.
  gates[0].open()
  await eventually(() => existsSync(`${gates[0].path}.passed`)).toBe(true)
  expect(await client.threads.getState(thread_id)).toMatchObject({ metadata: isNext })
  gates[1].open()
  const values = await client.runs.join(thread_id, next.run_id)
  expect(values).toEqual({ gate, steps: ['first', 'second'] })
})

/**
 * The checkpointer and the store for Python graphs on real databases: `hosts/python/tests` has the tests, LangGraph's
 * own suite for checkpointers among them. Here is the server that they connect to, each test anew.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Bindings, Callbacks } from '../../src/graph/python/callbacks.ts'
import { type IncomingCall, Peer } from '../../src/graph/python/peer.ts'
import { claimRun } from '../support/agent/claim-run.ts'
import { runCheckpointsOf } from '../support/agent/run-checkpoints.ts'
import { RunWorld } from '../support/agent/run-world.ts'
import { hostCallsOn } from '../support/hosts/host-calls.ts'
import { installHostPython, NO_PYTHON } from '../support/hosts/python.ts'
import { freshPostgres } from '../support/postgres/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const HOST = resolve(import.meta.dirname, '../../hosts/python')
const DATABASES = { SQLite: () => RunWorld.open(), PostgreSQL: () => RunWorld.open(freshPostgres) }
const LIMIT_MS = 240_000

describe.skipIf(NO_PYTHON)(
  `the checkpointer and the store of Python graphs (${NO_PYTHON ?? 'with Python'})`,
  () => {
    let python: string
    const folder = temporaryFolder()
    let server: Server | undefined

    beforeAll(async () => {
      python = await installHostPython()
    }, LIMIT_MS)
    afterAll(async () => {
      server?.close()
    })

    it.each(Object.entries(DATABASES))(
      'pass their tests on %s',
      async (name, openWorld) => {
        const path = join(folder, name)
        const failures: unknown[] = []
        server = createServer((socket) => {
          void serveWorld(socket, openWorld).catch((error) => failures.push(error))
        }).listen(path)
        await once(server, 'listening')
        const told = await runTests(python, path)
        server.close()
        await once(server, 'close')
        expect(failures).toEqual([])
        expect(told).toMatch(/^[1-9]\d\d passed in/m)
        expect(told).not.toMatch(/skipped|deselected/)
      },
      LIMIT_MS,
    )
  },
)

const run = promisify(execFile)

/** Answers what pytest tells at its end; throws what it tells where a test fails. */
async function runTests(python: string, path: string): Promise<string> {
  const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tests/checkpoints', 'tests/store']
  const env = { ...process.env, RUNYARD_TEST_SERVER: path, PYTHONDONTWRITEBYTECODE: '1' }
  try {
    return (await run(python, args, { cwd: HOST, env })).stdout
  } catch (error) {
    throw new Error((error as { stdout?: string }).stdout || String(error))
  }
}

/** A world of its own for this connection, which ends with it. */
async function serveWorld(socket: Socket, openWorld: () => Promise<RunWorld>): Promise<void> {
  const ended = once(socket, 'close')
  const world = await openWorld()
  const operations = new Operations(world)
  const callbacks = new Callbacks({
    bindings: operations.bindings,
    server: () => hostCallsOn(world.store),
    passOn: () => undefined,
  })
  const answer = (call: IncomingCall) => {
    return call.method === 'test' ? operations.do(call) : callbacks.answer(call)
  }
  const underway = new Set<Promise<unknown>>()
  const peer = new Peer(socket, {
    onCall: (call) => {
      const answered = answer(call).finally(() => underway.delete(answered))
      underway.add(answered)
      return answered
    },
    onNote: () => {},
    onBroken: (error) => socket.destroy(error as Error),
  })
  await ended
  peer.end(new Error('The test is over.'))
  await Promise.allSettled(underway)
  await world.close()
}

/** What the API does to whole histories, and what becomes of a run's lease, by the tests' own calls. */
class Operations {
  readonly bindings = new Bindings()
  readonly #world: RunWorld

  constructor(world: RunWorld) {
    this.#world = world
  }

  async do({ params }: IncomingCall): Promise<unknown> {
    const { operation, ids } = params as { operation: string; ids: [string, string] }
    const { checkpoints } = this.#world.store
    switch (operation) {
      case 'copy_thread':
        return checkpoints.copyThread(...ids)
      case 'delete_run':
        return checkpoints.deleteRun(...ids)
      case 'keep_latest':
        return checkpoints.keepLatest(ids[0])
      case 'delete_thread':
        return checkpoints.deleteThread(ids[0])
      case 'measure':
        return this.#measure(ids[0])
      case 'take_lease':
        return this.#takeLease()
      case 'lose_lease':
        await this.#world.store.runs.release({ now: Date.now(), dead_servers: ['s'] })
        return null
      default:
        throw new Error(`There is no operation ${operation}.`)
    }
  }

  async #measure(thread_id: string): Promise<number> {
    const use = await this.#world.store.checkpoints.measure(thread_id)
    return use.checkpoints.bytes + use.channel_values.bytes + use.pending_writes.bytes
  }

  /** Of a run whose checkpoints have the number 1 from now on. Answers its id and its thread's. */
  async #takeLease(): Promise<[string, string]> {
    const { store } = this.#world
    await this.#world.addRun()
    const claim = { server_id: 's', now: Date.now(), lease_expires_at: Date.now() + 60_000 }
    const claimed = await claimRun(store, claim)
    if (!claimed) throw new Error('There was a run to claim.')
    const { lease, run } = claimed
    const { thread_id } = run
    const checkpoints = runCheckpointsOf(store, { lease, thread_id })
    this.bindings.add({ checkpoints })
    return [run.run_id, thread_id]
  }
}

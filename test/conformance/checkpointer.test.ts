import { AIMessage, HumanMessage } from '@langchain/core/messages'
import {
  Annotation,
  BaseCheckpointSaver,
  DeltaChannel,
  END,
  interrupt,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph'
import type { CheckpointSaverTestInitializer } from '@langchain/langgraph-checkpoint-validation'
import * as vitest from 'vitest'
import type { CheckpointStore } from '../../src/core/agent/checkpoint.ts'
import type { Lease } from '../../src/core/agent/run.ts'
import { createCheckpointerClass } from '../../src/graph/js/checkpoints/checkpointer.ts'
import { CHECKPOINTS_KEY } from '../../src/graph/js/checkpoints/config.ts'
import { type Graph, withMemory } from '../../src/graph/js/langgraph/graph.ts'
import { aCheckpoint, bytesOf } from '../support/agent/agent-records.ts'
import { claimRun } from '../support/agent/claim-run.ts'
import { collect } from '../support/agent/collect.ts'
import { runCheckpointsOf } from '../support/agent/run-checkpoints.ts'
import { RunWorld } from '../support/agent/run-world.ts'
import { finishRun, readState } from '../support/hosts/graph-runs.ts'
import { freshPostgres } from '../support/postgres/postgres.ts'
import { forEachTest } from '../support/running.ts'

const { describe, expect, it } = vitest

// LangGraph's own suite is written for a runner whose functions are globals.
Object.assign(globalThis, vitest)
const { deltaChannelHistoryTests, validate } = await import(
  '@langchain/langgraph-checkpoint-validation'
)

const Checkpointer = createCheckpointerClass(BaseCheckpointSaver)
const worlds = new Map<object, RunWorld>()

const DATABASES = { SQLite: () => RunWorld.open(), PostgreSQL: () => RunWorld.open(freshPostgres) }

for (const [name, openWorld] of Object.entries(DATABASES)) {
  const initializer: CheckpointSaverTestInitializer<BaseCheckpointSaver> = {
    checkpointerName: `the checkpointer on ${name}`,
    async createCheckpointer() {
      const world = await openWorld()
      const checkpointer = new Checkpointer(world.store.checkpoints)
      worlds.set(checkpointer, world)
      return checkpointer as unknown as BaseCheckpointSaver
    },
    async destroyCheckpointer(checkpointer) {
      await worlds.get(checkpointer)?.close()
      worlds.delete(checkpointer)
    },
  }
  validate(initializer)
  deltaChannelHistoryTests(initializer)
}

const Steps = Annotation.Root({
  steps: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
})

const inner = new StateGraph(Steps)
  .addNode('inside', () => ({ steps: ['inside'] }))
  .addEdge(START, 'inside')
  .addEdge('inside', END)
  .compile()

const outer = new StateGraph(Steps)
  .addNode('before', () => ({ steps: ['before'] }))
  .addNode('inner', inner)
  .addEdge(START, 'before')
  .addEdge('before', 'inner')
  .addEdge('inner', END)
  .compile()

const asksTwice = new StateGraph(Steps)
  .addNode('ask', () => ({ steps: [interrupt('first?'), interrupt('second?')] }))
  .addEdge(START, 'ask')
  .addEdge('ask', END)
  .compile()

/** The order of the nodes' names is that of their paths, and not that of their tasks' ids. */
const SIDE_BY_SIDE = ['a', 'b', 'c', 'd', 'e', 'f']
const joins = new DeltaChannel<string[], string[]>((all, written) => all.concat(...written))
const writesSideBySide = new StateGraph(Annotation.Root({ steps: () => joins })).addNode(
  SIDE_BY_SIDE.map((name) => [name, () => ({ steps: [name] })] as ['a', never]),
)
for (const name of SIDE_BY_SIDE as 'a'[]) writesSideBySide.addEdge(START, name).addEdge(name, END)

const talks = new StateGraph(MessagesAnnotation)
  .addNode('answer', ({ messages }) => ({
    messages: [new AIMessage(`You say: ${messages.at(-1)?.text}`)],
  }))
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile()

describe.each(Object.entries(DATABASES))('the checkpointer in a run on %s', (_name, openWorld) => {
  const bind = (graph: unknown) =>
    withMemory(graph as Graph, { checkpointer: new Checkpointer(world.store.checkpoints) })

  const world = forEachTest(openWorld)

  /** As a run has it that goes under the lease. */
  const under = (lease: Lease, thread_id: string) => ({
    [CHECKPOINTS_KEY]: runCheckpointsOf(world.store, { lease, thread_id }),
  })

  async function takeLease(thread_id: string): Promise<Lease> {
    await world.addRun(thread_id)
    const claim = { server_id: 's1', now: Date.now(), lease_expires_at: Date.now() + 60_000 }
    const claimed = await claimRun(world.store, claim)
    if (!claimed) throw new Error('There was a run to claim.')
    return claimed.lease
  }

  it('reads a history of large states bit by bit, and all of it', async () => {
    const thread_id = await world.addThread()
    const text = 'x'.repeat(5 * 1024 ** 2)
    const ids = ['c1', 'c2', 'c3', 'c4']
    for (const id of ids) {
      const key = { thread_id, checkpoint_ns: '', checkpoint_id: id }
      const value = { channel: 'text', version: id, ...bytesOf(JSON.stringify(text)) }
      await world.store.checkpoints.put(aCheckpoint(key), { text: id }, [value])
    }
    const read: number[] = []
    const { list } = world.store.checkpoints
    const counting = new Checkpointer({
      ...world.store.checkpoints,
      list: async (query) => {
        const records = await list(query)
        read.push(records.length)
        return records
      },
    })
    const at = { configurable: { thread_id, checkpoint_ns: '' } }
    const listed = (limit: number) => collect(counting.list(at, { limit }))
    expect(await listed(10)).toHaveLength(4)
    expect(read).toEqual([2, 2, 0])
    expect(await listed(3)).toHaveLength(3)
  })

  it('does not look for checkpoints of a thread that was added with the run, until there are some', async () => {
    const thread_id = await world.addThread()
    const lease = await takeLease(thread_id)
    const looks: string[] = []
    const looking = {
      ...world.store.checkpoints,
      get: (at: Parameters<CheckpointStore['get']>[0]) => {
        looks.push(at.thread_id)
        return world.store.checkpoints.get(at)
      },
    }
    const of = { lease, thread_id, isNewThread: true }
    const checkpoints = runCheckpointsOf({ ...world.store, checkpoints: looking }, of)
    const another = await world.addThread()
    const at = { thread_id, checkpoint_ns: '' }
    expect(await checkpoints.get(at)).toBeUndefined()
    expect(await checkpoints.get({ ...at, thread_id: another })).toBeUndefined()
    expect(looks).toEqual([another])
    await checkpoints.put(aCheckpoint({ ...at, checkpoint_id: 'c1' }), {}, [])
    expect(await checkpoints.get(at)).toMatchObject({ checkpoint_id: 'c1' })
    expect(looks).toEqual([another, thread_id])
  })

  it('notes the run on every checkpoint, those of subgraphs too, and no internal key', async () => {
    const thread_id = await world.addThread()
    const lease = await takeLease(thread_id)
    const at = { thread_id, run_id: lease.run_id, graph_id: 'outer', ...under(lease, thread_id) }
    await finishRun(bind(outer), {}, at)
    const records = await world.store.checkpoints.list({ thread_id })
    expect(new Set(records.map((record) => record.checkpoint_ns.split(':')[0]))).toEqual(
      new Set(['', 'inner']),
    )
    for (const record of records) {
      expect(record.run_id).toBe(lease.run_id)
      expect(record.metadata).toMatchObject({ graph_id: 'outer', run_id: lease.run_id })
      expect(Object.keys(record.metadata).filter((key) => key.startsWith('__'))).toEqual([])
    }
    expect(await world.store.checkpoints.hasCheckpointOf(thread_id, lease.run_id)).toBe(true)
  })

  it('lets a run that lost its lease write no more, not even in a subgraph', async () => {
    const thread_id = await world.addThread()
    const lease = await takeLease(thread_id)
    const at = { thread_id, run_id: lease.run_id, ...under(lease, thread_id) }
    let countAtLoss = -1
    const takesAway = new StateGraph(Steps)
      .addNode('lose', async () => {
        await world.store.runs.release({ now: Date.now(), dead_servers: ['s1'] })
        countAtLoss = (await world.store.checkpoints.list({ thread_id })).length
        return { steps: ['lose'] }
      })
      .addNode('inner', inner)
      .addEdge(START, 'lose')
      .addEdge('lose', 'inner')
      .compile()
    // Otherwise LangGraph has not looked at the refusal yet when it comes.
    const run = finishRun(bind(takesAway), {}, at, { durability: 'sync' })
    await expect(run).rejects.toMatchObject({ code: 'conflict' })
    expect(countAtLoss).toBeGreaterThan(0)
    expect(await world.store.checkpoints.list({ thread_id })).toHaveLength(countAtLoss)
  })

  it('keeps the branches of a thread apart', async () => {
    const graph = bind(outer)
    await finishRun(graph, { steps: ['a'] }, { thread_id: 't', run_id: 'r1' })
    const fork = (await readState(graph, 't')).checkpoint
    const checkpoint_id = fork?.checkpoint_id
    const from = { thread_id: 't', checkpoint_ns: '', checkpoint_id }
    await finishRun(graph, { steps: ['b'] }, { ...from, run_id: 'r2' })
    const branch = (await readState(graph, 't')).checkpoint?.checkpoint_id
    await finishRun(graph, { steps: ['c'] }, { ...from, run_id: 'r3' })
    const stepsAt = async (at: object) =>
      (await graph.getState({ configurable: at })).values as { steps: string[] }
    const common = ['a', 'before', 'inside']
    const [b, c] = [
      await stepsAt({ ...from, checkpoint_id: branch }),
      await stepsAt({ thread_id: 't' }),
    ]
    expect(b.steps).toContain('b')
    expect(b.steps).not.toContain('c')
    expect(c.steps).toContain('c')
    expect(c.steps).not.toContain('b')
    expect(c.steps).toEqual(expect.arrayContaining(common))
  })

  it('shows one interrupt of a task that asks again, and keeps the earlier answer', async () => {
    const { Command } = await import('@langchain/langgraph')
    const graph = bind(asksTwice)
    await finishRun(graph, {}, { thread_id: 't', run_id: 'r1' })
    expect((await readState(graph, 't')).interrupts).toMatchObject([{ value: 'first?' }])
    await finishRun(graph, new Command({ resume: '1' }), { thread_id: 't', run_id: 'r2' })
    expect((await readState(graph, 't')).interrupts).toMatchObject([{ value: 'second?' }])
    const end = await finishRun(graph, new Command({ resume: '2' }), {
      thread_id: 't',
      run_id: 'r3',
    })
    expect(end).toEqual({ steps: ['1', '2'] })
    expect((await readState(graph, 't')).interrupts).toEqual([])
  })

  it('reads what nodes wrote side by side in the order of the run', async () => {
    const graph = bind(writesSideBySide.compile())
    const end = await finishRun(graph, { steps: [] }, { thread_id: 't', run_id: 'r1' })
    expect(end).toEqual({ steps: SIDE_BY_SIDE })
    expect((await readState(graph, 't')).values).toEqual(end)
  })

  it('goes back to before a run when the run is removed', async () => {
    const graph = bind(outer)
    const before = await finishRun(graph, {}, { thread_id: 't', run_id: 'r1' })
    await finishRun(graph, {}, { thread_id: 't', run_id: 'r2' })
    await world.store.checkpoints.deleteRun('t', 'r2')
    expect((await readState(graph, 't')).values).toEqual(before)
  })

  it('stores as much for the 200th turn of a conversation as for the 20th', async () => {
    const graph = bind(talks)
    const say = (turn: number) => new HumanMessage(`${turn}: ${'What do you say? '.repeat(12)}`)
    const used = async () => {
      const use = await world.store.checkpoints.measure('t')
      return use.checkpoints.bytes + use.channel_values.bytes + use.pending_writes.bytes
    }
    const bytesOfTurn = async (turn: number) => {
      const before = await used()
      await finishRun(graph, { messages: [say(turn)] }, { thread_id: 't', run_id: `r${turn}` })
      return (await used()) - before
    }
    for (let turn = 1; turn < 20; turn += 1) await bytesOfTurn(turn)
    const early = await bytesOfTurn(20)
    // What was said in between, at once.
    const said = Array.from({ length: 179 }, (_, i) => [
      say(21 + i),
      new AIMessage('I see. '.repeat(30)),
    ])
    await graph.updateState(
      { configurable: { thread_id: 't' } },
      { messages: said.flat() },
      'answer',
    )
    const late = await bytesOfTurn(200)
    expect((await readState(graph, 't')).values).toMatchObject({ messages: { length: 400 } })
    expect(late / early).toBeLessThan(1.5)
  })
})

/**
 * What runs must do behind every graph host. The graphs are those of `test/fixtures/projects/played`; a script of
 * the same is `test/support/hosts/scripted-graph-host.ts`.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Emission, MessageChange } from '../../../src/core/agent/host/emission.ts'
import type { GraphHost } from '../../../src/core/agent/host/graph-host.ts'
import { applyGrowth } from '../../../src/core/agent/host/growth.ts'
import type { HostMode } from '../../../src/core/agent/host/run.ts'
import { STREAM_MODES } from '../../../src/core/agent/stream-mode.ts'
import { DatabaseAway } from '../../../src/core/errors.ts'
import type { JsonObject, JsonValue } from '../../../src/core/json.ts'
import type { Place } from '../../../src/core/origin.ts'
import {
  type Asking,
  HostWorld,
  human,
  payloadsOf,
  takeAll,
  toList,
} from '../../support/hosts/host-world.ts'

type PutArguments = Parameters<HostWorld['checkpoints']['put']>

export function testGraphRuns(host: () => GraphHost): void {
  describe('runs', () => testRuns(host))
}

function testRuns(host: () => GraphHost): void {
  let world: HostWorld
  const places: Place[] = []
  const asked: string[] = []

  beforeEach(async () => {
    places.length = 0
    asked.length = 0
    world = await HostWorld.open(host(), {
      onNode: (place) => places.push(place),
      fetch: async (request) => {
        asked.push(new URL(request.url).pathname)
        return Response.json([{ thread_id: 'one' }])
      },
    })
  })
  afterEach(() => world.close())

  const values = async (graph_id: string, asking: Asking = {}) =>
    payloadsOf(await world.play(graph_id, asking), 'values')

  describe('a run', () => {
    it('tells its values step by step, and that it is completed', async () => {
      const told = await world.play('steps')
      const ofSteps = payloadsOf(told, 'values').slice(-2)
      expect(ofSteps).toEqual([{ steps: ['first'] }, { steps: ['first', 'second'] }])
      expect(told.end).toEqual({ kind: 'completed' })
    })

    it.each(STREAM_MODES)(
      'tells what %s asks for, and nothing else, as plain JSON',
      async (mode) => {
        const graph_id = mode.startsWith('messages') ? 'talk' : 'steps'
        const input = graph_id === 'talk' ? { messages: [human('hello you')] } : {}
        const { emissions } = await world.play(graph_id, { modes: [mode], input })
        const told = mode === 'lifecycle' ? 'tasks' : mode
        expect(emissions.length).toBeGreaterThan(0)
        expect(new Set(emissions.map((one) => one.mode))).toEqual(new Set([told]))
        expect(JSON.parse(JSON.stringify(emissions))).toEqual(emissions)
      },
    )

    it('tells a step once for each mode that asks for it', async () => {
      const told = await world.play('steps', { modes: ['updates', 'custom', 'tools'] })
      expect(payloadsOf(told, 'updates')).toEqual([
        { first: { steps: ['first'] } },
        { second: { steps: ['second'] } },
      ])
      expect(payloadsOf(told, 'custom')).toEqual([{ at: 'first' }, { at: 'second' }])
      expect(payloadsOf(told, 'tools')).toMatchObject([
        { event: 'on_tool_start', name: 'look' },
        { event: 'on_tool_end', name: 'look' },
      ])
    })

    it('tells of tasks as they begin and as they end', async () => {
      const told = await world.play('steps', { modes: ['tasks'] })
      expect(payloadsOf(told, 'tasks')).toMatchObject([
        { name: 'first', input: expect.anything() },
        { name: 'first', result: { steps: ['first'] }, error: null, interrupts: [] },
        { name: 'second', input: expect.anything() },
        { name: 'second', result: { steps: ['second'] }, error: null, interrupts: [] },
      ])
    })

    it('puts messages together from the pieces that a model writes', async () => {
      const modes: HostMode[] = ['messages', 'messages-tuple', 'model_ends']
      const input = { messages: [human('one two')] }
      const told = await world.play('talk', { modes, input })
      const pieces = payloadsOf(told, 'messages-tuple') as {
        message: JsonObject
        isPiece: boolean
      }[]
      const written = pieces.filter(({ isPiece }) => isPiece).map(({ message }) => message.content)
      expect(written.join('')).toBe('echo: one two')
      const changes = payloadsOf(told, 'messages') as MessageChange[]
      const whole = changes.reduce((sofar: JsonValue, change) => {
        if (change.kind === 'begun') return change.message
        return change.kind === 'grown' && change.growth ? applyGrowth(sofar, change.growth) : sofar
      }, null) as JsonObject
      expect(whole).toMatchObject({ type: 'ai', content: 'echo: one two' })
      const complete = changes.filter(({ kind }) => kind === 'complete')
      expect(complete.at(-1)).toMatchObject({
        messages: [{ content: 'echo: one two' }],
        isLast: false,
      })
      expect(payloadsOf(told, 'model_ends')).toEqual([{ id: whole.id, pieces: 3 }])
    })

    it('tells of its checkpoints before the values that they hold', async () => {
      const modes: HostMode[] = ['values', 'places']
      const told = await world.play('steps', { modes, subgraphs: true })
      const last = told.emissions.slice(-2)
      expect(last).toMatchObject([
        { mode: 'places', payload: { id: expect.any(String), source: 'loop' } },
        { mode: 'values', payload: { steps: ['first', 'second'] } },
      ])
    })

    it('tells of subgraphs where it is asked to, in their namespace', async () => {
      const input = { text: 'abc' }
      const whole = await world.play('nested', { input, modes: ['updates'], subgraphs: true })
      const inner = whole.emissions.filter(({ namespace }) => namespace.length > 0)
      expect(inner).toMatchObject([
        { namespace: [expect.stringMatching(/^child:/)], payload: { inner: { text: 'ABC' } } },
      ])
      const without = await world.play('nested', { input, modes: ['updates'] })
      expect(without.emissions.every(({ namespace }) => namespace.length === 0)).toBe(true)
      const alive = await world.play('nested', { input, modes: ['lifecycle'] })
      expect(alive.emissions.some(({ namespace }) => namespace.length > 0)).toBe(true)
    })

    it('stops at an interrupt, and goes on with the answer', async () => {
      const thread_id = await world.addThread()
      const told = await world.play('ask', { thread_id, modes: ['updates'] })
      expect(told.end).toEqual({ kind: 'completed' })
      expect(payloadsOf(told, 'updates').at(-1)).toMatchObject({
        __interrupt__: [
          { id: expect.stringMatching(/^[0-9a-f]{32}$/), value: { question: 'sure?' } },
        ],
      })
      const command = { resume: 'yes' }
      expect((await values('ask', { thread_id, command })).at(-1)).toEqual({
        answer: 'yes',
        steps: ['before', 'ask'],
      })
    })

    it('stops before a breakpoint, and goes on without an input', async () => {
      const thread_id = await world.addThread()
      const stopped = await values('steps', { thread_id, interrupt_before: ['second'] })
      expect(stopped.at(-1)).not.toMatchObject({ steps: ['first', 'second'] })
      const on = await values('steps', { thread_id, input: null })
      expect(on.at(-1)).toEqual({ steps: ['first', 'second'] })
    })

    it('goes on from an older checkpoint', async () => {
      const thread_id = await world.addThread()
      await world.play('steps', { thread_id })
      const graph = await world.openGraph('steps', thread_id)
      const states = await toList(graph.listStates({ thread_id }, { limit: 10 }))
      const first = states.find(({ next }) => next[0] === 'second')
      const checkpoint_id = String(first?.checkpoint?.checkpoint_id)
      const config = { configurable: { checkpoint_id, checkpoint_ns: '' } }
      const again = await values('steps', { thread_id, input: null, config })
      expect(again.at(-1)).toEqual({ steps: ['first', 'second'] })
    })

    it('says why it has failed', async () => {
      const { end } = await world.play('fail')
      expect(end).toMatchObject({
        kind: 'failed',
        failure: { kind: 'graph', error: 'RangeError', message: 'failed on purpose' },
      })
    })

    it('says that the database is to blame where that is so', async () => {
      const put = async () => {
        throw new DatabaseAway('The database cannot be reached.', undefined)
      }
      const { end } = await world.play('steps', { checkpoints: { put } })
      expect(end).toMatchObject({ kind: 'failed', failure: { kind: 'database_away' } })
    })

    it('hands the config to its nodes and to a factory, and what a factory throws to who opens it', async () => {
      const config = {
        tags: ['one'],
        metadata: { from: 'test' },
        configurable: { tenant: 'acme' },
      }
      const told = await values('made', { config, context: { tone: 'kind' } })
      expect(told.at(-1)).toEqual({
        told: { tenant: 'acme', metadata: 'test', tags: ['one'] },
        context: { tone: 'kind' },
      })
      const refused = world.play('made', { config: { configurable: { is_refused: true } } })
      await expect(refused).rejects.toThrow('not with this config')
    })
  })

  describe('a run that is told to stop', () => {
    /** A run whose node waits for its signal, and then for `released`. */
    async function begin() {
      await world.close()
      const [begun, looked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const released = Promise.withResolvers<void>()
      const onNode = ({ node }: Place) => void (node === 'hang' && begun.resolve())
      const items = itemsThat(looked.resolve, released.promise)
      world = await HostWorld.open(host(), { onNode, items })
      const controller = new AbortController()
      const modes: HostMode[] = ['values', 'updates']
      const run = await world.begin('hang', { modes, signal: controller.signal })
      return { run, controller, begun, looked, released }
    }

    it('is over once its nodes have ended, and tells no more of its steps', async () => {
      const { run, controller, begun, looked, released } = await begin()
      let isOver = false
      const taken = takeAll(run).finally(() => {
        isOver = true
      })
      await begun.promise
      controller.abort({ kind: 'cancelled' })
      await looked.promise
      expect(isOver).toBe(false)
      released.resolve()
      const { emissions, end } = await taken
      expect(end).toEqual({ kind: 'stopped' })
      expect(JSON.stringify(emissions)).not.toContain('late')
    })

    it('may be left behind by who has stopped to pull', async () => {
      const { run, controller, begun, released } = await begin()
      const iterator = run.emissions[Symbol.asyncIterator]()
      const pulled = takeWhole(iterator)
      await begun.promise
      controller.abort({ kind: 'cancelled' })
      void iterator.return?.()
      expect((await world.play('steps')).end).toEqual({ kind: 'completed' })
      released.resolve()
      await pulled
      expect(await run.end).toEqual({ kind: 'stopped' })
    })
  })

  describe('what a run calls back for', () => {
    it('is its checkpoints: an emission is there before the checkpoint of its step is stored', async () => {
      const order: string[] = []
      let isDrained = false
      const checkpoints = {
        /** Waits, as the server does, until all that was emitted before it is taken. */
        put: async (...given: PutArguments) => {
          do await turn()
          while (!isDrained)
          order.push('stored')
          await world.checkpoints.put(...given)
        },
      }
      const run = await world.begin('steps', { checkpoints, durability: 'sync', modes: ['custom'] })
      const iterator = run.emissions[Symbol.asyncIterator]()
      for (;;) {
        isDrained = true
        const { done, value = [] } = await iterator.next()
        isDrained = false
        if (done) break
        for (const { payload } of value as Emission[]) {
          order.push(`told ${(payload as JsonObject).at}`)
        }
      }
      // Before these, what the input came to is stored.
      expect(order.slice(-4)).toEqual(['told first', 'stored', 'told second', 'stored'])
      expect(new Set(order.slice(0, -4))).toEqual(new Set(['stored']))
    })

    it('holds the graph back until a checkpoint is stored', async () => {
      await world.close()
      const nodes: unknown[] = []
      const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      world = await HostWorld.open(host(), { onNode: ({ node }) => void nodes.push(node) })
      const checkpoints = {
        put: async (...given: PutArguments) => {
          if (nodes.includes('first')) {
            reached.resolve()
            await released.promise
          }
          await world.checkpoints.put(...given)
        },
      }
      const played = world.play('steps', { checkpoints, durability: 'sync' })
      await reached.promise
      for (let turns = 0; turns < 20; turns += 1) await turn()
      expect(nodes).not.toContain('second')
      released.resolve()
      expect((await played).end).toEqual({ kind: 'completed' })
      expect(nodes).toContain('second')
    })

    it('is the store, and the server itself', async () => {
      expect((await values('remember')).at(-1)).toEqual({
        found: [{ text: 'kept' }, 1, [{ thread_id: 'one' }]],
      })
      expect(asked).toEqual(['/threads/search'])
    })

    it('is to name the node that is called', async () => {
      await takeAll(await world.begin('steps'))
      const nodes = places.map(({ node }) => node)
      expect(nodes).toEqual(expect.arrayContaining(['first', 'second']))
      expect(nodes.indexOf('first')).toBeLessThan(nodes.indexOf('second'))
      expect(new Set(places.map(({ run_id }) => typeof run_id))).toEqual(new Set(['string']))
    })
  })
}

async function takeWhole(iterator: AsyncIterator<unknown>): Promise<void> {
  while (!(await iterator.next()).done);
}

/** Items that are found once `released` has settled. */
function itemsThat(onLook: () => void, released: Promise<void>) {
  const none = async () => {
    onLook()
    await released
    return undefined
  }
  return {
    get: none,
    write: async () => {},
    searchAll: async (searches: unknown[]) => searches.map(() => []),
    namespaces: async () => [],
  }
}

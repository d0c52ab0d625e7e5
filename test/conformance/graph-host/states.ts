/** What the states of threads must do behind every graph host; the graphs are those of `runs.ts`. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { GraphHost } from '../../../src/core/agent/host/graph-host.ts'
import { EMPTY_STATE } from '../../../src/core/agent/thread.ts'
import { HostWorld, toList } from '../../support/hosts/host-world.ts'

export function testGraphStates(host: () => GraphHost): void {
  describe('the state of a thread', () => {
    let world: HostWorld
    let thread_id: string

    beforeEach(async () => {
      world = await HostWorld.open(host())
      thread_id = await world.addThread()
    })
    afterEach(() => world.close())

    it('is empty before the first checkpoint', async () => {
      const graph = await world.openGraph('steps', thread_id)
      expect(await graph.getState({ thread_id })).toEqual(EMPTY_STATE)
    })

    it('is what a run has left, with what is asked and what comes next', async () => {
      await world.play('ask', { thread_id })
      const graph = await world.openGraph('ask', thread_id)
      const state = await graph.getState({ thread_id })
      const asked = { id: expect.stringMatching(/^[0-9a-f]{32}$/), value: { question: 'sure?' } }
      expect(state).toMatchObject({
        values: { steps: ['before'] },
        next: ['ask'],
        tasks: [{ name: 'ask', interrupts: [asked], error: null }],
        checkpoint: { thread_id, checkpoint_ns: '', checkpoint_id: expect.any(String) },
        parent_checkpoint: { checkpoint_id: expect.any(String) },
        interrupts: [asked],
      })
      expect(JSON.parse(JSON.stringify(state))).toEqual(state)
    })

    it('can be read at every checkpoint, newest first', async () => {
      await world.play('steps', { thread_id })
      const graph = await world.openGraph('steps', thread_id)
      const states = await toList(graph.listStates({ thread_id }, { limit: 2 }))
      expect(states.map(({ next }) => next)).toEqual([[], ['second']])
      const [last, before] = states
      const checkpoint_id = String(before?.checkpoint?.checkpoint_id)
      expect(await graph.getState({ thread_id, checkpoint_id })).toEqual(before)
      expect(last?.parent_checkpoint).toMatchObject({ checkpoint_id })
      const older = graph.listStates({ thread_id }, { limit: 1, before: checkpoint_id })
      expect((await toList(older)).map(({ next }) => next)).toEqual([['first']])
    })

    it('is changed as if a node had answered', async () => {
      await world.play('steps', { thread_id })
      const graph = await world.openGraph('steps', thread_id)
      const update = { values: { steps: ['by hand'] }, as_node: 'first' }
      const place = await graph.updateState({ thread_id }, [{ updates: [update] }])
      const state = await graph.getState({ thread_id })
      expect(state).toMatchObject({
        values: { steps: ['first', 'second', 'by hand'] },
        next: ['second'],
        checkpoint: { checkpoint_id: place.checkpoint_id },
      })
    })

    it('is not changed by what the graph does not take', async () => {
      const graph = await world.openGraph('steps', thread_id)
      const update = { values: { steps: [] }, as_node: 'nobody' }
      await expect(graph.updateState({ thread_id }, [{ updates: [update] }])).rejects.toThrow(
        /nobody/,
      )
    })

    it('is written to the checkpoints that the graph was opened with', async () => {
      const put: unknown[] = []
      const { checkpoints } = world
      const staged = {
        put: async (...given: Parameters<typeof checkpoints.put>) => void put.push(given[0]),
        putWrites: async () => {},
        get: checkpoints.get.bind(checkpoints),
        list: checkpoints.list.bind(checkpoints),
        deleteThread: async () => {},
      }
      const graph = await world.host.open('steps', { configurable: { thread_id } }, staged)
      await graph.updateState({ thread_id }, [
        { updates: [{ values: { steps: ['a'] }, as_node: 'first' }] },
      ])
      expect(put.length).toBeGreaterThan(0)
      expect(await checkpoints.get({ thread_id, checkpoint_ns: '' })).toBeUndefined()
    })

    it('has names', async () => {
      const graph = await world.openGraph('steps', thread_id)
      const { nodes, values } = await graph.names()
      expect(nodes).toEqual(expect.arrayContaining(['first', 'second']))
      expect(values).toContain('steps')
    })
  })
}

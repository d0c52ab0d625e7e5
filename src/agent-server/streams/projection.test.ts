import { describe, expect, test } from 'vitest'
import type { NewEvent } from '../../core/agent/event.ts'
import type { Emission } from '../../core/agent/host/emission.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import type { JsonValue } from '../../core/json.ts'
import { StreamProjection, SubgraphLifecycle } from './projection.ts'

const QUESTION = { __interrupt__: [{ id: 'a', value: 'Which?' }] }

function projection() {
  const stream_mode = ['values', 'updates', 'tasks']
  return new StreamProjection({ kwargs: { stream_mode } } as unknown as QueuedRun)
}

const emission = (mode: 'values' | 'updates', payload: JsonValue): Emission => ({
  namespace: [],
  mode,
  payload,
})
const names = (events: { event: string }[]) => events.map(({ event }) => event)

test('a question, and what LangGraph says of its task, is told with the end', () => {
  const told = projection()
  expect(told.project(emission('updates', QUESTION))).toEqual([])
  expect(told.project(emission('values', QUESTION))).toEqual([])
  expect(
    told.project({
      namespace: [],
      mode: 'tasks',
      payload: { id: 'a', name: 'n', result: {} },
    }),
  ).toEqual([])
  expect(names(told.end())).toEqual(['updates', 'values', 'tasks'])
})

test('a question is told at once where another task goes on', () => {
  const told = projection()
  told.project(emission('updates', QUESTION))
  const events = told.project(emission('updates', { other: {} }))
  expect(names(events)).toEqual(['updates', 'updates'])
  expect(told.end()).toEqual([])
})

test('a question of a run that is stopped is told all the same', () => {
  const told = projection()
  told.project(emission('updates', QUESTION))
  expect(names(told.fail())).toEqual(['updates'])
})

describe('stream mode `lifecycle`', () => {
  const NAMESPACE = ['tools:t1']

  /** A tool that calls an agent, until the agent's first task has begun. */
  function begun(): { lifecycle: SubgraphLifecycle; events: NewEvent[] } {
    const lifecycle = new SubgraphLifecycle()
    const input = { tool_call: { id: 'call-1', name: 'task' } }
    const events = [
      ...lifecycle.onTask([], { id: 't1', name: 'tools', input }),
      ...lifecycle.onTask(NAMESPACE, { id: 't2', name: 'model' }),
    ]
    return { lifecycle, events }
  }

  const shown = (events: NewEvent[]) => events.map(({ event, data }) => [event, JSON.parse(data)])

  test('a subgraph starts with its first task, and names the tool call that started it', () => {
    const started = { event: 'started', namespace: NAMESPACE, tool_call_id: 'call-1' }
    expect(shown(begun().events)).toEqual([['lifecycle|tools:t1', started]])
  })

  test('it ends when something else happens after the result of its task', () => {
    const { lifecycle } = begun()
    expect(lifecycle.onTask([], { id: 't1', name: 'tools', result: {} })).toEqual([])
    const completed = { event: 'completed', namespace: NAMESPACE }
    const events = lifecycle.onTask([], { id: 't3', name: 'model' })
    expect(shown(events)).toEqual([['lifecycle|tools:t1', completed]])
    expect(lifecycle.onEnd()).toEqual([])
  })

  test('it ends as its run does: with the error, interrupted, or completed', () => {
    const error = { error: 'RangeError', message: 'no luck' }
    const failed = { event: 'failed', namespace: NAMESPACE, error }
    expect(shown(begun().lifecycle.onFailure(error))).toEqual([['lifecycle|tools:t1', failed]])
    expect(shown(begun().lifecycle.onFailure(undefined))[0]?.[1].event).toBe('interrupted')
    expect(shown(begun().lifecycle.onEnd())[0]?.[1].event).toBe('completed')
  })

  test('it is interrupted where it asks', () => {
    const { lifecycle } = begun()
    const interrupts = [{ id: 'a', value: 'Which?' }]
    lifecycle.onTask([], { id: 't1', name: 'tools', result: {}, interrupts })
    expect(shown(lifecycle.onEnd())[0]?.[1].event).toBe('interrupted')
  })
})

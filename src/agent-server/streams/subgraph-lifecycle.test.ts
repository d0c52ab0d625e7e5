import { expect, test } from 'vitest'
import type { NewEvent } from '../../core/agent/event.ts'
import { SubgraphLifecycle } from './subgraph-lifecycle.ts'

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

const told = (events: NewEvent[]) => events.map(({ event, data }) => [event, JSON.parse(data)])

test('a subgraph starts with its first task, and names the tool call that started it', () => {
  const started = { event: 'started', namespace: NAMESPACE, tool_call_id: 'call-1' }
  expect(told(begun().events)).toEqual([['lifecycle|tools:t1', started]])
})

test('it ends when something else happens after the result of its task', () => {
  const { lifecycle } = begun()
  expect(lifecycle.onTask([], { id: 't1', name: 'tools', result: {} })).toEqual([])
  const completed = { event: 'completed', namespace: NAMESPACE }
  const events = lifecycle.onTask([], { id: 't3', name: 'model' })
  expect(told(events)).toEqual([['lifecycle|tools:t1', completed]])
  expect(lifecycle.onEnd()).toEqual([])
})

test('it ends as its run does: with the error, interrupted, or completed', () => {
  const error = { error: 'RangeError', message: 'no luck' }
  const failed = { event: 'failed', namespace: NAMESPACE, error }
  expect(told(begun().lifecycle.onFailure(error))).toEqual([['lifecycle|tools:t1', failed]])
  expect(told(begun().lifecycle.onFailure(undefined))[0]?.[1].event).toBe('interrupted')
  expect(told(begun().lifecycle.onEnd())[0]?.[1].event).toBe('completed')
})

test('it is interrupted where it asks', () => {
  const { lifecycle } = begun()
  const interrupts = [{ id: 'a', value: 'Which?' }]
  lifecycle.onTask([], { id: 't1', name: 'tools', result: {}, interrupts })
  expect(told(lifecycle.onEnd())[0]?.[1].event).toBe('interrupted')
})

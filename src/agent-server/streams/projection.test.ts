import { expect, test } from 'vitest'
import type { Emission } from '../../core/agent/host/emission.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import type { JsonValue } from '../../core/json.ts'
import { StreamProjection } from './projection.ts'

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

import { expect, it } from 'vitest'
import { isParkedThreads } from './parked-threads.ts'

const broken = {
  ...{ thread_id: 't', status: 'busy', graph_id: 'agent', is_graph_missing: false },
  ...{ missing_nodes: ['work'], missing_keys: [] },
}
const verdict = { checked_at: '2026-11-20T12:00:00.000Z', parked: 2, broken: 1, threads: [broken] }

it('knows what an agent server says of parked threads', () => {
  expect(isParkedThreads(verdict)).toBe(true)
  expect(isParkedThreads({ ...verdict, broken: 0, threads: [] })).toBe(true)
})

it.each([
  ['nothing', null],
  ['another thing', 'parked'],
  ['no count', { ...verdict, broken: '1' }],
  ['no list', { ...verdict, threads: {} }],
  ['a thread that is none', { ...verdict, threads: [null] }],
  ['nodes without names', { ...verdict, threads: [{ ...broken, missing_nodes: [{}] }] }],
  ['nodes that are no list', { ...verdict, threads: [{ ...broken, missing_nodes: 'work' }] }],
  ['another status', { ...verdict, threads: [{ ...broken, status: 'idle' }] }],
  ['more threads than are told of', { ...verdict, threads: Array(101).fill(broken) }],
])('refuses %s', (_, value) => {
  expect(isParkedThreads(value)).toBe(false)
})

import { expect, it } from 'vitest'
import { isAgentReading } from './reading.ts'

const extremes = { count: 3, min: 0.4, max: 4000 }
const times = { counts: { '0.5': 2, '+Inf': 1 }, sum: 4001, extremes }
const reading = {
  ...{ started_at: 1, cpu_seconds: 0.5, memory_bytes: 9, event_loop_delay_seconds: 0 },
  ...{ waiting: 0, delayed: 0, running: 0, queue_age_seconds: 0, streams_open: 0 },
  ...{ webhooks_pending: 0, database_bytes: 0, runs: { success: 1 }, webhooks: {} },
  ...{ waits: times, first_outputs: times, durations: times },
}
const names = Array.from({ length: 65 }, (_, i) => [`status ${i}`, 1])

it('is taken as an agent server sends it', () => {
  expect(isAgentReading(reading)).toBe(true)
})

it.each([
  ['nothing', undefined],
  ['an empty one', {}],
  ['an amount that is no number', { ...reading, memory_bytes: 'many' }],
  ['an amount below nothing', { ...reading, waiting: -1 }],
  ['one that JSON cannot say', { ...reading, waiting: null }],
  ['counts of a list', { ...reading, runs: [1] }],
  ['counts that are none', { ...reading, runs: { success: 'x' } }],
  ['counts of more names than there are', { ...reading, runs: Object.fromEntries(names) }],
  ['a name of any length', { ...reading, runs: { ['x'.repeat(65)]: 1 } }],
  ['times without a sum', { ...reading, waits: { counts: {} } }],
  [
    'extremes without a largest',
    { ...reading, waits: { ...times, extremes: { count: 3, min: 1 } } },
  ],
])('is not taken from code that sends something else: %s', (_, sent) => {
  expect(isAgentReading(sent)).toBe(false)
})

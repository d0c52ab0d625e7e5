import { MemorySaver } from '@langchain/langgraph-checkpoint'
import { expect, it } from 'vitest'
import { type SendsForm, sendsFormOf, withPendingSends, withSends } from './sends.ts'
import { dump } from './values.ts'

const SENDS = [{ node: 'a', args: 1 }]
const { serde } = new MemorySaver()

function checkpoint(v: number, channel_values: object) {
  const rest = { id: 'c', ts: '', channel_versions: { a: '1' }, versions_seen: {} }
  return { v, ...rest, channel_values: { a: 1, ...channel_values } }
}

it.each<[string, SendsForm]>([
  ['0.2.57', 'beside'],
  ['0.3.12', 'beside'],
  ['0.4.0', 'pair'],
  ['1.4.0', 'pair'],
  ['1.4.18', 'list'],
])('LangGraph %s has what waits as: %s', (version, form) => {
  expect(sendsFormOf(version)).toBe(form)
})

it.each([
  ['a list', SENDS],
  ['a pair', [[], SENDS]],
])('what another version has written as %s is read by each', (_, written) => {
  const stored = checkpoint(4, { __pregel_tasks: written })
  expect(withSends(stored, 'beside')).toMatchObject({
    pending_sends: SENDS,
    channel_values: { a: 1 },
  })
  expect(withSends(stored, 'beside').channel_values).toEqual({ a: 1 })
  expect(withSends(stored, 'pair').channel_values).toEqual({ a: 1, __pregel_tasks: [[], SENDS] })
  expect(withSends(stored, 'list').channel_values).toEqual({ a: 1, __pregel_tasks: SENDS })
})

it('nothing waits where nothing was written', () => {
  expect(withSends(checkpoint(4, {}), 'beside')).toMatchObject({ pending_sends: [] })
  expect(withSends(checkpoint(4, {}), 'pair')).toEqual(checkpoint(4, {}))
  const before = { ...checkpoint(1, {}), pending_sends: SENDS }
  expect(withSends(before, 'beside')).toBe(before)
})

it('what the checkpoint before has written comes into the channel, with its version', async () => {
  const write = {
    task_id: 't',
    channel: '__pregel_tasks',
    idx: 0,
    ...(await dump(serde, SENDS[0])),
  }
  const known = { writesOfParent: [write], version: '9', form: 'pair' as const }
  const migrated = await withPendingSends(serde, checkpoint(1, {}), known)
  expect(migrated.channel_values).toEqual({ a: 1, __pregel_tasks: [[], SENDS] })
  expect(migrated.channel_versions).toEqual({ a: '1', __pregel_tasks: '1' })
})

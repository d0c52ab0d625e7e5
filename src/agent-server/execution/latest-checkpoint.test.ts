import { expect, test } from 'vitest'
import type { ChannelValue, StoredCheckpoint } from '../../core/agent/checkpoint.ts'
import { LatestCheckpoint } from './latest-checkpoint.ts'

const at = { thread_id: 't', checkpoint_ns: '' }

function stored(checkpoint_id: string, parent_checkpoint_id: string | null): StoredCheckpoint {
  const checkpoint = { type: 'json', bytes: new TextEncoder().encode('{}') }
  return { ...at, checkpoint_id, parent_checkpoint_id, run_id: 'r', checkpoint, metadata: {} }
}

function value(channel: string, version: string, text = version): ChannelValue {
  return { channel, version, type: 'json', bytes: new TextEncoder().encode(text) }
}

const found = (latest: LatestCheckpoint) => {
  const record = latest.find(at)
  return record && [record.checkpoint_id, record.values.map(({ version }) => version)]
}

test('a checkpoint is found with the values it shares', () => {
  const latest = new LatestCheckpoint('t')
  latest.loaded(at, { ...stored('1', null), values: [value('b', 'b1')], writes: [] })
  expect(found(latest)).toBeUndefined()
  latest.put(stored('2', '1'), { a: 'a1', b: 'b1' }, [value('a', 'a1')])
  expect(found(latest)).toEqual(['2', ['a1', 'b1']])
  expect(latest.find({ ...at, checkpoint_id: '2' })).toEqual(latest.find(at))
  expect(latest.find({ ...at, checkpoint_id: '1' })).toBeUndefined()
  // An empty channel has a version and no value.
  latest.put(stored('3', '2'), { a: 'a2', b: 'b1' }, [])
  expect(found(latest)).toEqual(['3', ['b1']])
})

test('what does not follow what is known is read from the database', () => {
  const latest = new LatestCheckpoint('t')
  latest.put(stored('1', null), {}, [])
  expect(found(latest)).toBeUndefined()
  latest.loaded(at, undefined)
  latest.put(stored('1', null), {}, [])
  expect(found(latest)).toEqual(['1', []])
  latest.put(stored('3', '2'), {}, [])
  expect(found(latest)).toBeUndefined()
})

test('one that tasks have written at is read from the database', () => {
  const latest = new LatestCheckpoint('t')
  latest.loaded(at, undefined)
  latest.put(stored('1', null), {}, [])
  latest.written({ ...at, checkpoint_id: '1' })
  expect(found(latest)).toBeUndefined()
  // Two before the one between them is put.
  latest.written({ ...at, checkpoint_id: '3' })
  latest.put(stored('2', '1'), {}, [])
  expect(found(latest)).toEqual(['2', []])
  latest.put(stored('3', '2'), {}, [])
  expect(found(latest)).toBeUndefined()
  latest.put(stored('4', '3'), {}, [])
  expect(found(latest)).toEqual(['4', []])
})

test('only those of the root graph on its thread are kept', () => {
  const latest = new LatestCheckpoint('t')
  for (const place of [
    { ...at, checkpoint_ns: 'child:1' },
    { ...at, thread_id: 'other' },
  ]) {
    latest.loaded(place, undefined)
    latest.put({ ...stored('1', null), ...place }, {}, [])
    expect(latest.find(place)).toBeUndefined()
  }
})

test('a large one is not kept', () => {
  const latest = new LatestCheckpoint('t')
  latest.loaded(at, undefined)
  latest.put(stored('1', null), { a: 'a1' }, [value('a', 'a1', 'x'.repeat(2 ** 20 + 1))])
  expect(found(latest)).toBeUndefined()
})

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aCheckpoint } from '../../test/support/agent/agent-records.ts'
import type { CheckpointPut } from '../core/agent/checkpoint.ts'
import { type BufferState, type Unwritten, WriteBuffer, whenToFlush } from './write-buffer.ts'

const NOTHING: BufferState = { isEmpty: true, size: 0, hasFirst: false, isWriting: false }

describe('the rule', () => {
  test.each<[string, Partial<BufferState>, string]>([
    ['nothing waits', {}, 'later'],
    ['something waits', { isEmpty: false }, 'soon'],
    ['the first event of the graph waits', { isEmpty: false, hasFirst: true }, 'now'],
    ['128 KiB wait', { isEmpty: false, size: 131_072 }, 'soon'],
    ['more waits', { isEmpty: false, size: 131_073 }, 'now'],
    ['the last batch is being written', { isEmpty: false, size: 1e6, isWriting: true }, 'later'],
  ])('%s', (_, state, when) => {
    expect(whenToFlush({ ...NOTHING, ...state })).toBe(when)
  })
})

const event = (data: string) => ({ event: 'values', data })

function put(checkpoint_id: string, checkpoint_ns = ''): CheckpointPut {
  const checkpoint = aCheckpoint({ thread_id: 't', checkpoint_ns, checkpoint_id })
  return { checkpoint, versions: {}, values: [] }
}

function writes(checkpoint_id: string, checkpoint_ns = ''): CheckpointPut {
  return { key: { thread_id: 't', checkpoint_ns, checkpoint_id }, writes: [] }
}

/** Names what one batch has: the data of events, the ids of checkpoints, and `w` with the id for writes of tasks. */
function told({ events, puts }: Unwritten): string[] {
  const ids = puts.map((one) =>
    'writes' in one ? `w${one.key.checkpoint_id}` : one.checkpoint.checkpoint_id,
  )
  return [...events.map(({ data }) => data), ...ids]
}

describe('events behind a reported checkpoint', () => {
  const at = (checkpoint_id: string, checkpoint_ns = '') => ({ checkpoint_ns, checkpoint_id })

  test('wait until it was put, and all events after them', () => {
    const buffer = new WriteBuffer()
    buffer.loaded('', undefined)
    buffer.add([event('a')])
    buffer.add([event('b')], at('1'))
    buffer.add([event('c')])
    expect(buffer.waiting).toMatchObject({ events: 1, size: 1 })
    expect(told(buffer.take())).toEqual(['a'])
    expect(buffer.isEmpty).toBe(true)
    buffer.put(put('1'))
    expect(told(buffer.take())).toEqual(['b', 'c', '1'])
  })

  test('do not wait for one from which the run continues, nor for one that the run does not store', () => {
    const buffer = new WriteBuffer()
    buffer.loaded('', '1')
    buffer.add([event('a')], at('1'))
    buffer.add([event('b')], at('9', 'elsewhere'))
    expect(told(buffer.take())).toEqual(['a', 'b'])
  })

  test('writes of a task go behind its checkpoint and before the next one', () => {
    const buffer = new WriteBuffer()
    buffer.loaded('', undefined)
    buffer.add([event('a')], at('1'))
    buffer.add([event('b')], at('2'))
    buffer.put(writes('1'))
    expect(buffer.isEmpty).toBe(true)
    expect(buffer.hasPut({ thread_id: 't', checkpoint_ns: '' })).toBe(true)
    buffer.put(put('1'))
    expect(told(buffer.take())).toEqual(['a', '1', 'w1'])
    buffer.put(put('2'))
    expect(told(buffer.take())).toEqual(['b', '2'])
  })

  test('a checkpoint waits for those of other namespaces that were reported before', () => {
    const buffer = new WriteBuffer()
    buffer.loaded('', undefined)
    buffer.loaded('child', undefined)
    buffer.add([event('a')], at('1', 'child'))
    buffer.put(put('2'))
    expect(buffer.isEmpty).toBe(true)
    expect(buffer.hasPut({ thread_id: 't', checkpoint_ns: 'child' })).toBe(false)
    buffer.put(put('1', 'child'))
    expect(told(buffer.take())).toEqual(['a', '1', '2'])
  })

  test('are written or dropped when nothing more is put', () => {
    for (const isDropped of [false, true]) {
      const buffer = new WriteBuffer()
      buffer.loaded('', undefined)
      buffer.add([event('a')], at('1'))
      buffer.release({ isDropped })
      expect(told(buffer.take())).toEqual(isDropped ? [] : ['a'])
    }
  })
})

/** One thing that a graph with a chain of checkpoints does, or that the log takes what it can. */
type Step = 'emit' | 'report' | 'put' | 'task' | 'take'

test('the log never has a step that is not stored, and never lacks a stored step', () => {
  const step = fc.constantFrom<Step>('emit', 'report', 'put', 'task', 'take')
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (plan) => {
      const buffer = new WriteBuffer()
      buffer.loaded('', undefined)
      const batches: Unwritten[] = []
      let [reported, stored, emitted] = [0, 0, 0]
      /** How many events were emitted before each checkpoint was reported. */
      const before: number[] = []
      for (const one of [...plan, 'put', 'take'] as Step[]) {
        if (one === 'emit') buffer.add([event(`${++emitted}`)])
        if (one === 'report') {
          before[++reported] = emitted
          buffer.add([event(`${++emitted}`)], { checkpoint_ns: '', checkpoint_id: `${reported}` })
        }
        if (one === 'put' && stored < reported) buffer.put(put(`${++stored}`))
        if (one === 'task') buffer.put(writes(`${stored}`))
        if (one === 'take') batches.push(buffer.take())
      }
      let logged = 0
      let last = 0
      for (const { events, puts } of batches) {
        for (const { data } of events) expect(Number(data)).toBe(++logged)
        for (const one of puts) {
          if ('checkpoint' in one) expect(Number(one.checkpoint.checkpoint_id)).toBe(++last)
          else expect(Number(one.key.checkpoint_id)).toBeLessThanOrEqual(last)
        }
        expect(logged).toBeGreaterThanOrEqual(before[last] ?? 0)
        expect(logged).toBeLessThanOrEqual(before[last + 1] ?? emitted)
      }
    }),
  )
})

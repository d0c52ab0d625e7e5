import { describe, expect, it } from 'vitest'
import { EMPTY_STATE } from '../../../core/agent/thread.ts'
import { type GraphSnapshot, toThreadState } from './state.ts'

const at = (checkpoint_id: string, checkpoint_ns = '') => ({
  configurable: { thread_id: 't', checkpoint_ns, checkpoint_id },
})

const snapshot: GraphSnapshot = {
  values: { text: 'hi' },
  next: ['ask'],
  tasks: [
    {
      id: 'task-1',
      name: 'ask',
      path: ['__pregel_pull', 'ask'],
      interrupts: [{ id: 'i1', value: { question: 'sure?' } }],
    },
    { id: 'task-2', name: 'other', interrupts: [] },
  ],
  config: at('c2'),
  metadata: { source: 'loop', step: 1, parents: {} },
  createdAt: '2026-11-20T12:00:00.000Z',
  parentConfig: at('c1'),
}

describe('toThreadState', () => {
  it('answers a snapshot in the fields of the API', () => {
    expect(toThreadState(snapshot)).toEqual({
      values: { text: 'hi' },
      next: ['ask'],
      tasks: [
        {
          id: 'task-1',
          name: 'ask',
          path: ['__pregel_pull', 'ask'],
          error: null,
          interrupts: [{ id: 'i1', value: { question: 'sure?' } }],
          checkpoint: null,
          state: null,
          result: null,
        },
        {
          id: 'task-2',
          name: 'other',
          error: null,
          interrupts: [],
          checkpoint: null,
          state: null,
          result: null,
        },
      ],
      checkpoint: { thread_id: 't', checkpoint_ns: '', checkpoint_id: 'c2', checkpoint_map: null },
      metadata: { source: 'loop', step: 1, parents: {} },
      created_at: '2026-11-20T12:00:00.000Z',
      parent_checkpoint: {
        thread_id: 't',
        checkpoint_ns: '',
        checkpoint_id: 'c1',
        checkpoint_map: null,
      },
      interrupts: [{ id: 'i1', value: { question: 'sure?' } }],
    })
  })

  it('answers the empty state for a thread without a checkpoint', () => {
    const config = { configurable: { thread_id: 't' } }
    expect(toThreadState({ values: {}, next: [], tasks: [], config })).toEqual(EMPTY_STATE)
  })

  it('answers a subgraph as its state when it is there, else as where to ask for it', () => {
    const [task] = snapshot.tasks
    if (!task) throw new Error('The snapshot has a task.')
    const where = { configurable: { thread_id: 't', checkpoint_ns: 'ask:1' } }
    const asked = toThreadState({ ...snapshot, tasks: [{ ...task, state: where }] })
    expect(asked.tasks[0]?.checkpoint).toEqual({ thread_id: 't', checkpoint_ns: 'ask:1' })
    expect(asked.tasks[0]?.state).toBeNull()
    const inner = { ...snapshot, tasks: [], config: at('c9', 'ask:1') }
    const whole = toThreadState({ ...snapshot, tasks: [{ ...task, state: inner }] })
    expect(whole.tasks[0]).toMatchObject({
      checkpoint: null,
      state: { values: { text: 'hi' }, checkpoint: { checkpoint_id: 'c9' } },
    })
  })

  it.each([
    ['an error', new RangeError('too far'), 'RangeError: too far'],
    ['a stored error', { name: 'RangeError', message: 'too far' }, 'RangeError: too far'],
    ['a text', 'too far', 'too far'],
    ['something else', { code: 7 }, '{"code":7}'],
  ])('says what went wrong in a task, given %s', (_, error, text) => {
    const state = toThreadState({ ...snapshot, tasks: [{ id: 't', name: 'n', error }] })
    expect(state.tasks[0]?.error).toBe(text)
  })
})

import { expect, test } from 'vitest'
import { runRequest } from './run-request.ts'
import { RunCreateStatefulSchema } from './run-schemas.ts'

const decode = (body: object) =>
  runRequest(RunCreateStatefulSchema.parse({ assistant_id: 'agent', ...body }))

test('what is left out has its default', () => {
  expect(decode({})).toEqual({
    assistant_id: 'agent',
    metadata: {},
    config: { configurable: {} },
    stream_mode: ['values'],
    stream_subgraphs: false,
    multitask_strategy: 'enqueue',
    if_not_exists: 'reject',
  })
})

test('checkpoint_during is the old name of durability, and gives way to it', () => {
  expect(decode({ checkpoint_during: true }).durability).toBe('async')
  expect(decode({ checkpoint_during: false }).durability).toBe('exit')
  expect(decode({ checkpoint_during: false, durability: 'sync' }).durability).toBe('sync')
  expect(decode({ checkpoint_during: false })).not.toHaveProperty('checkpoint_during')
})

test('one stream mode is a list of one', () => {
  expect(decode({ stream_mode: 'updates' }).stream_mode).toEqual(['updates'])
})

test('the checkpoint to start from may be named in any of three ways', () => {
  const checkpoint = { checkpoint_id: 'c1', checkpoint_ns: '' }
  expect(decode({ checkpoint: { ...checkpoint, thread_id: 't1' } }).checkpoint).toEqual(checkpoint)
  expect(decode({ checkpoint_id: 'c1' }).checkpoint).toEqual({ checkpoint_id: 'c1' })
  const inConfig = decode({ config: { configurable: { ...checkpoint, mine: 1 } } })
  expect(inConfig).toMatchObject({ checkpoint, config: { configurable: { mine: 1 } } })
  expect(inConfig.config.configurable).not.toHaveProperty('checkpoint_id')
})

test('a checkpoint that names none is none', () => {
  expect(decode({ checkpoint: {} })).not.toHaveProperty('checkpoint')
  expect(decode({ checkpoint: { checkpoint_ns: 'child:1' } })).not.toHaveProperty('checkpoint')
  const both = decode({ checkpoint: { checkpoint_ns: '' }, checkpoint_id: 'c1' })
  expect(both.checkpoint).toEqual({ checkpoint_id: 'c1' })
})

test('an answer of null resumes; a command of null is none', () => {
  expect(decode({ command: { resume: null } }).command).toEqual({ resume: null })
  expect(decode({ command: null })).not.toHaveProperty('command')
})

test('keys that only the server sets are dropped', () => {
  const metadata = { thread_id: 't', assistant_id: 'a', run_id: 'r', cron_id: 'c', mine: 1 }
  const context = { langgraph_auth_user: 'eve', langgraph_request_id: 'q', cron_id: 'c', mine: 1 }
  const made = decode({ metadata, context, config: { metadata, configurable: context } })
  expect([made.metadata, made.context, made.config]).toEqual([
    { mine: 1 },
    { mine: 1 },
    { metadata: { mine: 1 }, configurable: { mine: 1 } },
  ])
})

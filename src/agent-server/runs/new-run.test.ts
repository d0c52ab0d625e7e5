import { describe, expect, test } from 'vitest'
import type { Assistant } from '../../core/agent/assistant.ts'
import type { Caller } from '../../core/agent/authorization.ts'
import { newRun, type RunRequest } from './new-run.ts'

const assistant: Assistant = {
  assistant_id: 'a1',
  graph_id: 'agent',
  config: { tags: ['assistant'], configurable: { model: 'small', mood: 'calm' } },
  context: { language: 'en', region: 'eu' },
  metadata: { created_by: 'system', team: 'a' },
  name: 'agent',
  description: null,
  version: 1,
  created_at: '',
  updated_at: '',
}
const thread = {
  thread_id: 't1',
  metadata: { team: 't', topic: 'trains' },
  config: { configurable: { mood: 'bold', tone: 'dry' } },
}
const caller: Caller = { identity: 'u1', permissions: ['all'], headers: { 'x-user': 'u1' } }
const request: RunRequest = {
  assistant_id: 'agent',
  metadata: { topic: 'boats' },
  config: { recursion_limit: 5, configurable: { tone: 'warm', run_id: 'forged', __lease: 1 } },
  context: { language: 'de' },
  stream_mode: ['values'],
  stream_subgraphs: false,
  multitask_strategy: 'enqueue',
  if_not_exists: 'reject',
}

const run = newRun({ run_id: 'r1', request, assistant, thread, caller, now: 1_000 })

test('metadata: the run wins over its thread, the thread over the assistant', () => {
  expect(run.metadata).toEqual({
    created_by: 'system',
    team: 't',
    topic: 'boats',
    graph_id: 'agent',
    assistant_id: 'a1',
  })
})

test('config: merged alike, with the ids and the caller, which nobody can forge', () => {
  expect(run.kwargs.config).toEqual({
    tags: ['assistant'],
    recursion_limit: 5,
    configurable: {
      model: 'small',
      mood: 'bold',
      tone: 'warm',
      'x-user': 'u1',
      user_id: 'u1',
      langgraph_auth_user_id: 'u1',
      langgraph_auth_permissions: ['all'],
      run_id: 'r1',
      thread_id: 't1',
      graph_id: 'agent',
      assistant_id: 'a1',
    },
  })
})

test('no configuration says where in the history a run starts: only its checkpoint does', () => {
  const place = { checkpoint_id: 'c', checkpoint_ns: 'n', checkpoint_map: {}, thread_ts: 'c' }
  const forged = { ...assistant, config: { configurable: place } }
  const { kwargs } = newRun({ run_id: 'r1', request, assistant: forged, thread, caller, now: 1 })
  for (const key of Object.keys(place)) expect(kwargs.config.configurable).not.toHaveProperty(key)
})

test('no header says who asks or where a run starts, even where graphs see every header', () => {
  const forged = {
    langgraph_auth_user_id: 'ann',
    langgraph_auth_user: 'ann',
    __lease: '1',
    thread_ts: 'c',
  }
  const unknown: Caller = { ...caller, identity: undefined, headers: { ...forged, 'x-user': 'u1' } }
  const { kwargs } = newRun({ run_id: 'r1', request, assistant, thread, caller: unknown, now: 1 })
  expect(kwargs.config.configurable).toHaveProperty('x-user')
  for (const key of Object.keys(forged)) expect(kwargs.config.configurable).not.toHaveProperty(key)
})

test("context: the run's keys over the assistant's", () => {
  expect(run.kwargs.context).toEqual({ language: 'de', region: 'eu' })
})

describe('configurable and context', () => {
  const plain = { ...assistant, config: {}, context: {} }
  const bare = { ...thread, config: {} }
  const given = (asked: Partial<RunRequest>, over: object = {}) => {
    const from = { run_id: 'r1', assistant: plain, thread: bare, caller, now: 1, ...over }
    const wanted = { ...request, config: {}, context: {}, ...asked }
    const { config, context } = newRun({ ...from, request: wanted }).kwargs
    const { mood, model } = config.configurable as Record<string, unknown>
    return { configurable: { mood, model }, context }
  }

  test('who gives one of them is given both', () => {
    const both = { configurable: { mood: 'bold', model: undefined }, context: { mood: 'bold' } }
    expect(given({ context: { mood: 'bold' } })).toEqual(both)
    expect(given({ config: { configurable: { mood: 'bold', thread_id: 't1', __x: 1 } } })).toEqual(
      both,
    )
  })

  test('an assistant’s come before those of the run', () => {
    const configured = { ...plain, config: { configurable: { mood: 'calm', model: 'small' } } }
    expect(given({ context: { mood: 'bold' } }, { assistant: configured })).toEqual({
      configurable: { mood: 'bold', model: 'small' },
      context: { mood: 'bold', model: 'small' },
    })
  })

  test('with both each stays as it is, and so does a context that is no object', () => {
    const config = { configurable: { model: 'small' } }
    const apart = { configurable: { mood: undefined, model: 'small' } }
    expect(given({ config, context: { mood: 'bold' } })).toEqual({
      ...apart,
      context: { mood: 'bold' },
    })
    expect(given({ config, context: 'bold' })).toEqual({ ...apart, context: 'bold' })
  })

  test('only what its schema knows comes into the context; without any it is empty', () => {
    const contextKeys = new Set(['model'])
    const config = { configurable: { mood: 'bold', model: 'small' } }
    expect(given({ config }, { contextKeys }).context).toEqual({ model: 'small' })
    expect(given({}).context).toEqual({})
  })
})

test('what was not given is absent; a delay moves the moment from which it may start', () => {
  expect(run.kwargs).not.toHaveProperty('input')
  const delayed = { ...request, input: null, after_seconds: 1.5 }
  const later = newRun({ run_id: 'r1', request: delayed, assistant, thread, caller, now: 1_000 })
  expect(later).toMatchObject({ available_at: 2_500, kwargs: { input: null } })
})

import { expect, test } from 'vitest'
import type { Assistant } from '../core/assistant.ts'
import type { Caller } from '../core/authorization.ts'
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

test("context: the run's keys over the assistant's", () => {
  expect(run.kwargs.context).toEqual({ language: 'de', region: 'eu' })
})

test('what was not given is absent; a delay moves the moment from which it may start', () => {
  expect(run.kwargs).not.toHaveProperty('input')
  const delayed = { ...request, input: null, after_seconds: 1.5 }
  const later = newRun({ run_id: 'r1', request: delayed, assistant, thread, caller, now: 1_000 })
  expect(later).toMatchObject({ available_at: 2_500, kwargs: { input: null } })
})

/** The operations on a thread's state. */

import type { Parts } from '../agent-server-parts.ts'
import { given } from '../operations/given.ts'
import { ThreadPathSchema } from '../operations/ids.ts'
import { selectable } from '../operations/json.ts'
import { body, createRoutes, json, operationsOf } from '../operations/route.ts'
import { getThreadState, getThreadStateAt } from './state.ts'
import {
  StateAtQuerySchema,
  StateAtSchema,
  StatePatchSchema,
  StatePathSchema,
  StateQuerySchema,
  StateUpdateResponseSchema,
  StateUpdateSchema,
  selectFields,
  ThreadStateSchema,
} from './state-schemas.ts'
import { patchThreadState, updateThreadState } from './state-update.ts'

const operation = operationsOf('Threads')

const state = json(
  selectable(ThreadStateSchema, 'SelectedThreadState'),
  'State; with `select` the selected fields only',
)

const latest = operation('get', '/threads/{thread_id}/state', {
  name: 'get_latest_thread_state',
  summary: "A thread's state at its last checkpoint",
  request: { params: ThreadPathSchema, query: StateQuerySchema },
  answers: { 200: state },
  refusals: [404],
})

const atId = operation('get', '/threads/{thread_id}/state/{checkpoint_id}', {
  name: 'get_thread_state_at_checkpoint',
  summary: "A thread's state at one of its checkpoints",
  request: { params: StatePathSchema, query: StateQuerySchema },
  answers: { 200: state },
  refusals: [400, 404],
})

const at = operation('post', '/threads/{thread_id}/state/checkpoint', {
  id: 'post_thread_state_at_checkpoint_threads__thread_id__state__checkpoint_id__get',
  summary: "A thread's or a subgraph's state at a checkpoint",
  request: { params: ThreadPathSchema, query: StateAtQuerySchema, body: body(StateAtSchema) },
  answers: { 200: state },
  refusals: [400, 404],
})

const update = operation('post', '/threads/{thread_id}/state', {
  name: 'update_thread_state',
  summary: "Change a thread's state: a new checkpoint after the last, or after the one named",
  request: { params: ThreadPathSchema, body: body(StateUpdateSchema) },
  answers: { 200: json(StateUpdateResponseSchema, 'The checkpoint that was written') },
  refusals: [400, 404, 409],
})

const patch = operation('patch', '/threads/{thread_id}/state', {
  name: 'patch_thread_state',
  summary: 'Change the metadata of a thread and of its last checkpoint',
  request: { params: ThreadPathSchema, body: body(StatePatchSchema) },
  answers: { 204: { description: 'Done' } },
  refusals: [404, 409],
})

export function stateRoutes(parts: Parts) {
  const routes = createRoutes()
  routes.openapi(latest, async (c) => {
    const { thread_id } = c.req.valid('param')
    const { select, subgraphs } = c.req.valid('query')
    const found = await getThreadState(parts, c.var.caller, thread_id, { subgraphs })
    return c.json(selectFields(found, select), 200)
  })
  routes.openapi(at, async (c) => {
    const { thread_id } = c.req.valid('param')
    const { select, subgraphs, checkpoint } = c.req.valid('json')
    const options = { checkpoint, subgraphs: subgraphs ?? c.req.valid('query').subgraphs }
    const found = await getThreadStateAt(parts, c.var.caller, thread_id, options)
    return c.json(selectFields(found, select), 200)
  })
  routes.openapi(atId, async (c) => {
    const { thread_id, checkpoint_id } = c.req.valid('param')
    const { select, subgraphs } = c.req.valid('query')
    const options = { checkpoint: { checkpoint_id }, subgraphs }
    const found = await getThreadStateAt(parts, c.var.caller, thread_id, options)
    return c.json(selectFields(found, select), 200)
  })
  routes.openapi(update, async (c) => {
    const { thread_id } = c.req.valid('param')
    const { checkpoint_id, checkpoint, ...change } = given(c.req.valid('json'))
    const from = checkpoint ?? (checkpoint_id === undefined ? {} : { checkpoint_id })
    const request = { ...change, checkpoint: from }
    const written = await updateThreadState(parts, c.var.caller, thread_id, request)
    return c.json({ checkpoint: written, configurable: written }, 200)
  })
  routes.openapi(patch, async (c) => {
    const { thread_id } = c.req.valid('param')
    const { metadata = {} } = c.req.valid('json')
    await patchThreadState(parts, c.var.caller, thread_id, metadata)
    return c.body(null, 204)
  })
  return routes
}

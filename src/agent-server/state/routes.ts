/** The operations on a thread's state. */
import { createRoute } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { body } from '../operations/body.ts'
import { given } from '../operations/given.ts'
import { ThreadPathSchema } from '../operations/ids.ts'
import { selectable } from '../operations/json.ts'
import { refusals } from '../operations/refusals.ts'
import type { Parts } from '../parts.ts'
import { patchThreadState } from './patch.ts'
import { getThreadState, getThreadStateAt } from './read.ts'
import {
  StateAtQuerySchema,
  StateAtSchema,
  StatePatchSchema,
  StatePathSchema,
  StateQuerySchema,
  StateUpdateResponseSchema,
  StateUpdateSchema,
  ThreadStateSchema,
} from './schemas.ts'
import { selectFields } from './select.ts'
import { updateThreadState } from './update.ts'

const tags = ['Threads']

const state = {
  description: 'State; with `select` the selected fields only',
  content: { 'application/json': { schema: selectable(ThreadStateSchema, 'SelectedThreadState') } },
}

const latest = createRoute({
  method: 'get',
  path: '/threads/{thread_id}/state',
  operationId: 'get_latest_thread_state_threads__thread_id__state_get',
  tags,
  summary: "A thread's state at its last checkpoint",
  request: { params: ThreadPathSchema, query: StateQuerySchema },
  responses: { 200: state, ...refusals(404, 422) },
})

const atId = createRoute({
  method: 'get',
  path: '/threads/{thread_id}/state/{checkpoint_id}',
  operationId: 'get_thread_state_at_checkpoint_threads__thread_id__state__checkpoint_id__get',
  tags,
  summary: "A thread's state at one of its checkpoints",
  request: { params: StatePathSchema, query: StateQuerySchema },
  responses: { 200: state, ...refusals(400, 404, 422) },
})

const at = createRoute({
  method: 'post',
  path: '/threads/{thread_id}/state/checkpoint',
  operationId: 'post_thread_state_at_checkpoint_threads__thread_id__state__checkpoint_id__get',
  tags,
  summary: "A thread's or a subgraph's state at a checkpoint",
  request: { params: ThreadPathSchema, query: StateAtQuerySchema, body: body(StateAtSchema) },
  responses: { 200: state, ...refusals(400, 404, 422) },
})

const update = createRoute({
  method: 'post',
  path: '/threads/{thread_id}/state',
  operationId: 'update_thread_state_threads__thread_id__state_post',
  tags,
  summary: "Change a thread's state: a new checkpoint after the last, or after the one named",
  request: { params: ThreadPathSchema, body: body(StateUpdateSchema) },
  responses: {
    200: {
      description: 'The checkpoint that was written',
      content: { 'application/json': { schema: StateUpdateResponseSchema } },
    },
    ...refusals(400, 404, 409, 422),
  },
})

const patch = createRoute({
  method: 'patch',
  path: '/threads/{thread_id}/state',
  operationId: 'patch_thread_state_threads__thread_id__state_patch',
  tags,
  summary: 'Change the metadata of a thread and of its last checkpoint',
  request: { params: ThreadPathSchema, body: body(StatePatchSchema) },
  responses: { 204: { description: 'Done' }, ...refusals(404, 409, 422) },
})

export function stateRoutes(parts: Parts) {
  const routes = createRoutes<AgentServerEnv>()
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

/** The operations on threads. */
import { createRoute, z } from '@hono/zod-openapi'
import { createRoutes } from '../../http/app.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { body } from '../operations/body.ts'
import { given } from '../operations/given.ts'
import { ThreadPathSchema } from '../operations/ids.ts'
import { selectable } from '../operations/json.ts'
import { PaginationHeadersSchema, setPagination } from '../operations/pagination.ts'
import { refusals } from '../operations/refusals.ts'
import type { Parts } from '../parts.ts'
import { copyThread } from './copy.ts'
import { createThread } from './create.ts'
import { deleteThread, pruneThreads } from './removal.ts'
import {
  PreferHeaderSchema,
  ThreadCountSchema,
  ThreadCreateSchema,
  ThreadPatchSchema,
  ThreadPruneSchema,
  ThreadQuerySchema,
  ThreadSchema,
  ThreadSearchSchema,
  ThreadStorageSchema,
} from './schemas.ts'
import { COUNTED_THREADS, countThreads, searchThreads, type ThreadSearch } from './search.ts'
import { measureThread } from './storage.ts'
import { getThread, patchThread, readTtl } from './verbs.ts'

const tags = ['Threads']

const thread = { description: 'Thread', content: { 'application/json': { schema: ThreadSchema } } }

const json = <T extends z.ZodType>(description: string, schema: T) => ({
  description,
  content: { 'application/json': { schema } },
})

const SearchHeadersSchema = PaginationHeadersSchema.extend({
  'X-Pagination-Total': z.string().openapi({
    description: `How many there are on all pages. It counts up to ${COUNTED_THREADS + 1}, or to the first of the next page; \`POST /threads/count\` counts all`,
  }),
})

const create = createRoute({
  method: 'post',
  path: '/threads',
  operationId: 'create_thread_threads_post',
  tags,
  summary: 'Add a thread, with a history if `supersteps` are given',
  request: { body: body(ThreadCreateSchema) },
  responses: { 200: thread, ...refusals(400, 404, 409, 422) },
})

const search = createRoute({
  method: 'post',
  path: '/threads/search',
  operationId: 'search_threads_threads_search_post',
  tags,
  summary: 'A page of threads, newest first unless sorted otherwise',
  request: { body: body(ThreadSearchSchema) },
  responses: {
    200: {
      ...json(
        'With `select` each has the selected fields only',
        z.array(selectable(ThreadSchema, 'SelectedThread')),
      ),
      headers: SearchHeadersSchema,
    },
    ...refusals(422),
  },
})

const count = createRoute({
  method: 'post',
  path: '/threads/count',
  operationId: 'count_threads_threads_count_post',
  tags,
  summary: 'How many threads there are',
  request: { body: body(ThreadCountSchema) },
  responses: { 200: json('Count', z.int()), ...refusals(422) },
})

const prune = createRoute({
  method: 'post',
  path: '/threads/prune',
  operationId: 'prune_threads_threads_prune_post',
  tags,
  summary: 'Remove threads, or all of their history but the latest state',
  request: { body: body(ThreadPruneSchema) },
  responses: {
    200: json('How many were there', z.object({ pruned_count: z.int() })),
    ...refusals(422),
  },
})

const get = createRoute({
  method: 'get',
  path: '/threads/{thread_id}',
  operationId: 'get_thread_threads__thread_id__get',
  tags,
  summary: 'A thread with its latest values',
  request: { params: ThreadPathSchema, query: ThreadQuerySchema },
  responses: { 200: thread, ...refusals(404, 422) },
})

const patch = createRoute({
  method: 'patch',
  path: '/threads/{thread_id}',
  operationId: 'patch_thread_threads__thread_id__patch',
  tags,
  summary: "Change a thread's metadata and how long it is kept",
  request: { params: ThreadPathSchema, headers: PreferHeaderSchema, body: body(ThreadPatchSchema) },
  responses: {
    200: thread,
    204: { description: 'Done; `Prefer: return=minimal` was asked for' },
    ...refusals(404, 422),
  },
})

const remove = createRoute({
  method: 'delete',
  path: '/threads/{thread_id}',
  operationId: 'delete_thread_threads__thread_id__delete',
  tags,
  summary: 'Remove a thread with its runs and its history; runs under way are cancelled',
  request: { params: ThreadPathSchema },
  responses: { 204: { description: 'Removed' }, ...refusals(404, 422) },
})

const copy = createRoute({
  method: 'post',
  path: '/threads/{thread_id}/copy',
  operationId: 'copy_thread_post_threads__thread_id__copy_post',
  tags,
  summary: 'A new thread with the same state and history, without the runs',
  request: { params: ThreadPathSchema },
  responses: { 200: thread, ...refusals(404, 422) },
})

const storage = createRoute({
  method: 'get',
  path: '/threads/{thread_id}/storage',
  operationId: 'get_thread_storage_threads__thread_id__storage_get',
  tags,
  summary: "What a thread's history takes in the database",
  request: { params: ThreadPathSchema },
  responses: { 200: json('Storage', ThreadStorageSchema), ...refusals(404, 422) },
})

export function threadRoutes(parts: Parts) {
  const routes = createRoutes<AgentServerEnv>()
  routes.openapi(create, async (c) => {
    const { metadata = {}, if_exists = 'raise', ...rest } = c.req.valid('json')
    const request = { metadata, if_exists, ...given(rest) }
    return c.json(await createThread(parts, c.var.caller, request), 200)
  })
  routes.openapi(search, async (c) => {
    const request = { ...FIRST_PAGE, ...given(c.req.valid('json')) }
    const { threads, total } = await searchThreads(parts, c.var.caller, request, c.var.hold)
    setPagination(c, { offset: request.offset, count: threads.length, total })
    return c.json(threads as z.infer<typeof ThreadSchema>[], 200)
  })
  routes.openapi(count, async (c) =>
    c.json(await countThreads(parts, c.var.caller, given(c.req.valid('json'))), 200),
  )
  routes.openapi(prune, async (c) => {
    const { thread_ids, strategy = 'delete' } = c.req.valid('json')
    const pruned_count = await pruneThreads(parts, c.var.caller, { thread_ids, strategy })
    return c.json({ pruned_count }, 200)
  })
  routes.openapi(get, async (c) => {
    const found = await getThread(parts, c.var.caller, c.req.valid('param').thread_id)
    if (!c.req.valid('query').include?.includes('ttl')) return c.json(found, 200)
    return c.json({ ...found, ttl: await readTtl(parts, found) }, 200)
  })
  routes.openapi(patch, async (c) => {
    const { thread_id } = c.req.valid('param')
    const change = given(c.req.valid('json'))
    const changed = await patchThread(parts, c.var.caller, thread_id, change)
    const isMinimal = c.req.valid('header').prefer?.includes('return=minimal')
    return isMinimal ? c.body(null, 204) : c.json(changed, 200)
  })
  routes.openapi(remove, async (c) => {
    await deleteThread(parts, c.var.caller, c.req.valid('param').thread_id)
    return c.body(null, 204)
  })
  routes.openapi(copy, async (c) => {
    const { thread_id } = c.req.valid('param')
    return c.json(await copyThread(parts, c.var.caller, thread_id), 200)
  })
  routes.openapi(storage, async (c) => {
    const { thread_id } = c.req.valid('param')
    return c.json(await measureThread(parts, c.var.caller, thread_id), 200)
  })
  return routes
}

const FIRST_PAGE: Pick<
  ThreadSearch,
  'limit' | 'offset' | 'sort_by' | 'sort_order' | 'select' | 'extract'
> = {
  limit: 10,
  offset: 0,
  sort_by: 'created_at',
  sort_order: 'desc',
  select: [],
  extract: {},
}

/** The operations on threads, and the verb that adds one. */

import { z } from '@hono/zod-openapi'
import { type AgentStore, lockOf } from '../../core/agent/agent-store.ts'
import { type Caller, matchesFilter } from '../../core/agent/authorization.ts'
import type { Superstep } from '../../core/agent/host/states.ts'
import type { NewThread, Thread } from '../../core/agent/thread.ts'
import { AppError } from '../../core/errors.ts'
import { answerOf } from '../../http/answer.ts'
import type { Parts } from '../agent-server-parts.ts'
import { requireMetadataFits } from '../limits.ts'
import { given } from '../operations/given.ts'
import { ThreadPathSchema } from '../operations/ids.ts'
import { selectable } from '../operations/json.ts'
import {
  FIRST_PAGE,
  NEWEST_FIRST,
  PaginationHeadersSchema,
  SEARCHED_HEADER,
  SearchedSchema,
  setPagination,
} from '../operations/pagination.ts'
import { body, createRoutes, json, operationsOf } from '../operations/route.ts'
import { type StagedState, stageState } from './state-update.ts'
import { deleteThread, pruneThreads } from './thread-removal.ts'
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
} from './thread-schemas.ts'
import { COUNTED_THREADS, countThreads, searchThreads } from './thread-search.ts'
import {
  authorizeThread,
  copyThread,
  getThread,
  measureThread,
  patchThread,
  readTtl,
  type ThreadRequest,
} from './threads.ts'

const operation = operationsOf('Threads')

const thread = json(ThreadSchema, 'Thread')

const SearchHeadersSchema = PaginationHeadersSchema.extend({
  [SEARCHED_HEADER]: SearchedSchema,
  'X-Pagination-Total': z.string().openapi({
    description: `How many there are on all pages. It counts up to ${COUNTED_THREADS + 1}, or to the first of the next page; \`POST /threads/count\` counts all`,
  }),
})

const create = operation('post', '/threads', {
  name: 'create_thread',
  summary: 'Add a thread, with a history if `supersteps` are given',
  request: { body: body(ThreadCreateSchema) },
  answers: { 200: thread },
  refusals: [400, 404, 409],
})

const search = operation('post', '/threads/search', {
  name: 'search_threads',
  summary: 'A page of threads, newest first unless sorted otherwise',
  request: { body: body(ThreadSearchSchema) },
  answers: {
    200: {
      ...json(
        z.array(selectable(ThreadSchema, 'SelectedThread')),
        'With `select` each has the selected fields only',
      ),
      headers: SearchHeadersSchema,
    },
  },
})

const count = operation('post', '/threads/count', {
  name: 'count_threads',
  summary: 'How many threads there are',
  request: { body: body(ThreadCountSchema) },
  answers: { 200: json(z.int(), 'Count') },
})

const prune = operation('post', '/threads/prune', {
  name: 'prune_threads',
  summary: 'Remove threads, or all of their history but the latest state',
  request: { body: body(ThreadPruneSchema) },
  answers: { 200: json(z.object({ pruned_count: z.int() }), 'How many were there') },
})

const get = operation('get', '/threads/{thread_id}', {
  name: 'get_thread',
  summary: 'A thread with its latest values',
  request: { params: ThreadPathSchema, query: ThreadQuerySchema },
  answers: { 200: thread },
  refusals: [404],
})

const patch = operation('patch', '/threads/{thread_id}', {
  name: 'patch_thread',
  summary: "Change a thread's metadata and how long it is kept",
  request: { params: ThreadPathSchema, headers: PreferHeaderSchema, body: body(ThreadPatchSchema) },
  answers: { 200: thread, 204: { description: 'Done; `Prefer: return=minimal` was asked for' } },
  refusals: [404],
})

const remove = operation('delete', '/threads/{thread_id}', {
  name: 'delete_thread',
  summary: 'Remove a thread with its runs and its history; runs under way are cancelled',
  request: { params: ThreadPathSchema },
  answers: { 204: { description: 'Removed' } },
  refusals: [404],
})

const copy = operation('post', '/threads/{thread_id}/copy', {
  name: 'copy_thread_post',
  summary: 'A new thread with the same state and history, without the runs',
  request: { params: ThreadPathSchema },
  answers: { 200: thread },
  refusals: [404],
})

const storage = operation('get', '/threads/{thread_id}/storage', {
  name: 'get_thread_storage',
  summary: "What a thread's history takes in the database",
  request: { params: ThreadPathSchema },
  answers: { 200: json(ThreadStorageSchema, 'Storage') },
  refusals: [404],
})

export function threadRoutes(parts: Parts) {
  const routes = createRoutes()
  routes.openapi(create, async (c) => {
    const { metadata = {}, if_exists = 'raise', ...rest } = c.req.valid('json')
    const request = { metadata, if_exists, ...given(rest) }
    return c.json(answerOf(ThreadSchema, await createThread(parts, c.var.caller, request)), 200)
  })
  routes.openapi(search, async (c) => {
    const asked = given(c.req.valid('json'))
    const request = { ...FIRST_PAGE, ...NEWEST_FIRST, select: [], extract: {}, ...asked }
    const found = await searchThreads(parts, c.var.caller, request, c.var.hold)
    const { threads, total, lookedAt } = found
    setPagination(c, { offset: request.offset, count: threads.length, total })
    if (lookedAt !== undefined) c.header(SEARCHED_HEADER, String(lookedAt))
    return c.json(threads, 200)
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
    if (!c.req.valid('query').include?.includes('ttl'))
      return c.json(answerOf(ThreadSchema, found), 200)
    return c.json(answerOf(ThreadSchema, found, { ttl: await readTtl(parts, found) }), 200)
  })
  routes.openapi(patch, async (c) => {
    const { thread_id } = c.req.valid('param')
    const change = given(c.req.valid('json'))
    const changed = await patchThread(parts, c.var.caller, thread_id, change)
    const isMinimal = c.req.valid('header').prefer?.includes('return=minimal')
    return isMinimal ? c.body(null, 204) : c.json(answerOf(ThreadSchema, changed), 200)
  })
  routes.openapi(remove, async (c) => {
    await deleteThread(parts, c.var.caller, c.req.valid('param').thread_id)
    return c.body(null, 204)
  })
  routes.openapi(copy, async (c) => {
    const { thread_id } = c.req.valid('param')
    return c.json(answerOf(ThreadSchema, await copyThread(parts, c.var.caller, thread_id)), 200)
  })
  routes.openapi(storage, async (c) => {
    const { thread_id } = c.req.valid('param')
    const use = await measureThread(parts, c.var.caller, thread_id)
    return c.json(answerOf(ThreadStorageSchema, use), 200)
  })
  return routes
}

/**
 * Adds a thread, or returns the existing one. `supersteps` are its initial history, made by the graph
 * that the metadata name. Throws `conflict`, and with `supersteps` `bad_request` (no graph) and
 * `invalid` (the graph does not take them).
 */
async function createThread(
  parts: Pick<Parts, 'store' | 'config' | 'host' | 'authorize' | 'limits' | 'clock' | 'log'>,
  caller: Caller,
  request: ThreadRequest & { supersteps?: Superstep[] },
): Promise<Thread> {
  const { thread, filter } = await authorizeThread(parts, caller, request)
  requireMetadataFits(parts.limits, thread.metadata)
  const beginning = await stageBeginning(parts, thread, request.supersteps)
  return parts.store.transaction(
    async (tx) => {
      const isNew = await tx.threads.insert(thread)
      if (isNew && beginning) await beginWith(tx, thread, beginning)
      const stored = await tx.threads.get(thread.thread_id)
      const isVisible = stored && matchesFilter(stored.metadata, filter)
      if (isVisible && (isNew || request.if_exists === 'do_nothing')) return stored
      throw new AppError('conflict', `Thread "${thread.thread_id}" already exists.`)
    },
    [lockOf('thread', thread.thread_id)],
  )
}

/** An existing thread keeps its history. */
async function stageBeginning(
  parts: Pick<Parts, 'store' | 'host' | 'log'>,
  thread: NewThread,
  supersteps: Superstep[] = [],
): Promise<StagedState | undefined> {
  if (supersteps.length === 0) return undefined
  if (await parts.store.threads.get(thread.thread_id)) return undefined
  return stageState(parts, thread, {}, supersteps)
}

async function beginWith(
  tx: AgentStore,
  { thread_id, created_at }: NewThread,
  { staged, patch }: StagedState,
): Promise<void> {
  await staged.commit(tx.checkpoints)
  await tx.threads.update(thread_id, { updated_at: created_at, ...patch })
}

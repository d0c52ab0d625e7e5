/** The operations on a thread's history. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { ThreadState } from '../../core/agent/thread.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import type { Parts } from '../agent-server-parts.ts'
import type { AnswerHold } from '../answer-budget.ts'
import { given } from '../operations/given.ts'
import { ThreadPathSchema } from '../operations/ids.ts'
import { selectable } from '../operations/json.ts'
import { body, createRoutes, json, operationsOf } from '../operations/route.ts'
import { type HistoryQuery, listThreadHistory } from './state.ts'
import {
  HistoryQuerySchema,
  HistorySearchSchema,
  type StateSelection,
  selectFields,
  ThreadStateSchema,
} from './state-schemas.ts'

const operation = operationsOf('Threads')

const HistoryHeadersSchema = z.object({
  'X-Pagination-Next': z.string().optional().openapi({
    description:
      'The `before` of the next page, where this one was full before it had `limit` states',
  }),
})

const STATES = {
  answers: {
    200: {
      ...json(
        z.array(selectable(ThreadStateSchema, 'SelectedThreadState')),
        'States, newest first: as many as `limit` says, or as together have RUNYARD_MAX_PAGE_BYTES',
      ),
      headers: HistoryHeadersSchema,
    },
  },
  refusals: [400, 404],
} as const

const list = operation('get', '/threads/{thread_id}/history', {
  name: 'get_thread_history',
  summary: "A thread's past states",
  request: { params: ThreadPathSchema, query: HistoryQuerySchema },
  ...STATES,
})

const search = operation('post', '/threads/{thread_id}/history', {
  name: 'get_thread_history_post',
  summary: "A thread's or a subgraph's past states, by metadata if it is given",
  request: { params: ThreadPathSchema, body: body(HistorySearchSchema) },
  ...STATES,
})

export function historyRoutes(parts: Pick<Parts, 'store' | 'host' | 'authorize' | 'limits'>) {
  const routes = createRoutes()
  const answer = async (
    c: Context<AgentServerEnv>,
    thread_id: string,
    { select, ...query }: HistoryQuery & { select?: StateSelection[] },
  ) => {
    const found = await listThreadHistory(parts, c.var.caller, thread_id, query)
    const size = { maxBytes: parts.limits.pageBytes, hold: c.var.hold }
    return answerPage(await takePage(found, size, (state) => selectFields(state, select))) as never
  }
  routes.openapi(list, (c) => {
    const query = { ...given(c.req.valid('query')), checkpoint: {} }
    return answer(c, c.req.valid('param').thread_id, query)
  })
  routes.openapi(search, (c) => {
    const query = { limit: 1, checkpoint: {}, ...given(c.req.valid('json')) }
    return answer(c, c.req.valid('param').thread_id, query)
  })
  return routes
}

/** A page of a history. */
interface HistoryPage {
  /** Each state as JSON. */
  texts: Buffer[]
  /** The `before` of the next page, if this page was full before it had `limit` states. */
  next?: string
}

/**
 * Takes states until one more would make the page larger than `maxBytes`, but at least one. `show`
 * selects the fields of a state; `hold` reserves the size of the page as it grows.
 */
async function takePage(
  states: AsyncIterable<ThreadState>,
  { maxBytes, hold }: { maxBytes: number; hold: Pick<AnswerHold, 'atLeast'> },
  show: (state: ThreadState) => object,
): Promise<HistoryPage> {
  const texts: Buffer[] = []
  let bytes = 0
  let last: string | undefined
  for await (const state of states) {
    const text = Buffer.from(JSON.stringify(show(state)))
    bytes += text.length
    if (bytes > maxBytes && last !== undefined) return { texts, next: last }
    hold.atLeast(bytes)
    texts.push(text)
    last = state.checkpoint?.checkpoint_id as string
    // Large states take long and SQLite reads block the event loop: yields to other requests.
    await nextTurn()
  }
  return { texts }
}

/** Sends state by state: joining all texts would need the same memory again. */
function answerPage({ texts, next }: HistoryPage): Response {
  const pieces = texts.flatMap((text, place) => [Buffer.from(place === 0 ? '[' : ','), text])
  pieces.push(Buffer.from(texts.length === 0 ? '[]' : ']'))
  const headers = {
    'content-type': 'application/json',
    ...(next !== undefined && { 'x-pagination-next': next }),
  }
  return new Response(ReadableStream.from(pieces), { headers })
}

/** Responses about a run: the run, its final values, or its stream. */
import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { ON_LEAVE_HEADER } from '../../core/deployment/internal-requests.ts'
import { requireTalk } from '../../core/people/agent-access.ts'
import { JsonText, keepAliveJson } from '../../stream/response/keep-alive-json.ts'
import { sseResponse } from '../../stream/response/sse-response.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import type { Parts } from '../agent-server-parts.ts'
import { queryList } from '../operations/query.ts'
import { json } from '../operations/route.ts'
import { type RunStream, runFrames } from '../streams/run.ts'
import { type CancelParts, cancelLeft } from './cancel.ts'
import { RunSchema } from './run-schemas.ts'
import { type RunId, waitForRun } from './runs.ts'

/** The response to creating or reading a run, for the OpenAPI document. */
export const RUN_ANSWER = json(RunSchema, 'Run')

/** A run's final values, for the OpenAPI document. */
export const VALUES_ANSWER = json(z.unknown(), 'Values')

/** A stream, for the OpenAPI document. */
export const EVENTS_ANSWER = {
  description: 'Events',
  content: { 'text/event-stream': { schema: z.string() } },
}

interface Answer {
  parts: CancelParts & Pick<Parts, 'metrics' | 'log'>
  run: RunId
  /** Whether the run is cancelled when the client leaves before its end. */
  isCancelledOnLeave: boolean
}

/** The header with the run's path. Clients read it from every response that created a run. */
export function runLocation({ thread_id, run_id }: RunId): Record<string, string> {
  return { 'content-location': `/threads/${thread_id}/runs/${run_id}` }
}

/** Responds with the run's final values when it has ended. */
export function answerWithResult(c: Context<AgentServerEnv>, answer: Answer): Response {
  const { parts, run } = answer
  return keepAliveJson(c, {
    headers: headersOf(answer, 'join'),
    result: async (signal) => new JsonText(await waitForRun(parts, run, signal)),
    ...onLeave(c, answer),
    log: parts.log,
  })
}

/** Streams the run's events until its end. */
export function answerWithStream(
  c: Context<AgentServerEnv>,
  answer: Answer & Omit<RunStream, 'run_id'>,
): Response {
  const { parts, run, isCancelledOnLeave, ...stream } = answer
  return sseResponse(c, {
    headers: headersOf(answer, 'stream'),
    source: (signal) => runFrames(parts, { run_id: run.run_id, ...stream }, signal),
    ...onLeave(c, answer),
    onOpen: () => parts.metrics.streamOpened(),
    log: parts.log,
  })
}

/**
 * The namespaces in a stream's query. An empty one is the root graph, but route schemas drop empty values: so they are
 * read here. The route's schema has checked the others.
 */
export function namespacesOf(c: Context): Pick<RunStream, 'namespaces'> {
  const namespaces = new URL(c.req.url).searchParams.getAll('namespace')
  if (namespaces.length === 0) return {}
  const [only = ''] = namespaces
  return { namespaces: namespaces.length === 1 ? QueryListSchema.parse(only) : namespaces }
}

const QueryListSchema = queryList(z.string())

function headersOf({ run, isCancelledOnLeave }: Answer, next: 'join' | 'stream') {
  const { thread_id, run_id } = run
  return {
    ...runLocation(run),
    location: `/threads/${thread_id}/runs/${run_id}/${next}`,
    ...(isCancelledOnLeave && { [ON_LEAVE_HEADER]: 'cancel' }),
  }
}

function onLeave(
  c: Context<AgentServerEnv>,
  { parts, run, isCancelledOnLeave }: Answer,
): { onDisconnect?: () => void } {
  if (!isCancelledOnLeave) return {}
  const caller = c.get('caller')
  requireTalk(caller.role, 'cancel_on_disconnect')
  return { onDisconnect: () => void cancelLeft(parts, caller, run) }
}

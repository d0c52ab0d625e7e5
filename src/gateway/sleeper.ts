/** Answers callers without a key while the deployment sleeps, without waking it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../core/errors.ts'
import { answerPreflight, corsHeaders } from './cors.ts'
import type { Name } from './name.ts'
import { endAnswer } from './request-body.ts'
import type { AgentRoute } from './route.ts'

/**
 * Answers a request that needs no key, for a sleeping deployment. `false`: the deployment must answer, since it is
 * public or its own auth may admit the caller. Throws `unauthenticated` if only a key may wake it.
 */
export function answerForSleeper(
  req: IncomingMessage,
  res: ServerResponse,
  { route, name }: { route: AgentRoute; name: Name },
): boolean {
  if (route.path === '/ok') {
    answer(req, res, name, { ok: true, asleep: true })
    return true
  }
  if (name.hasOwnAuth !== false) return false
  if (req.method === 'OPTIONS') {
    answerPreflight(req, res, name.cors)
    return true
  }
  if (name.isPublic) return false
  throw new AppError(
    'unauthenticated',
    `"${name.name}" is asleep. A request with an API key wakes it: send the key as "X-Api-Key: KEY".`,
  )
}

/** Sends a 204: it sleeps on, and nothing was done. */
export function answerGlance(req: IncomingMessage, res: ServerResponse, { cors }: Name): void {
  res.writeHead(204, { ...corsHeaders(cors, req.headers.origin), 'x-runyard-asleep': 'true' })
  endAnswer(req, res)
}

function answer(req: IncomingMessage, res: ServerResponse, { cors }: Name, json: object): void {
  const body = Buffer.from(JSON.stringify(json))
  res.writeHead(200, {
    ...corsHeaders(cors, req.headers.origin),
    'content-type': 'application/json',
    'content-length': body.length,
  })
  if (req.method !== 'HEAD') res.write(body)
  endAnswer(req, res)
}

/** What callers without a key get of a deployment that sleeps, so that they need not wake it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../core/errors.ts'
import { answerPreflight, corsHeaders } from './cors.ts'
import type { Name } from './name.ts'
import { endAnswer } from './request-body.ts'
import type { AgentRoute } from './route.ts'

/**
 * Answers a request that needs no key, to a deployment that sleeps. `false`: it is for the deployment
 * to answer, since its own auth may let in whoever asks. Throws `unauthenticated` where a key is needed
 * to wake it.
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
  throw new AppError(
    'unauthenticated',
    `"${name.name}" is asleep, and woken by a request with an API key. Send it as "X-Api-Key: KEY".`,
  )
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

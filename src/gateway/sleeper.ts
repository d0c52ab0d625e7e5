/** What callers without a key get of a deployment that sleeps, so that they need not wake it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../core/errors.ts'
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
    answer(req, res, 200, { ok: true, asleep: true })
    return true
  }
  if (name.hasOwnAuth !== false) return false
  if (req.method === 'OPTIONS') {
    answerPreflight(req, res)
    return true
  }
  throw new AppError(
    'unauthenticated',
    `"${name.name}" is asleep, and woken by a request with an API key. Send it as "X-Api-Key: KEY".`,
  )
}

/**
 * Lets the browser send the request itself, whose key decides. Which pages may read the answer is said by
 * the deployment, which is awake then.
 */
function answerPreflight(req: IncomingMessage, res: ServerResponse): void {
  const { headers } = req
  res.setHeader('access-control-allow-origin', '*')
  res.setHeader('access-control-allow-methods', headers['access-control-request-method'] ?? '*')
  res.setHeader('access-control-allow-headers', headers['access-control-request-headers'] ?? '*')
  answer(req, res, 204)
}

function answer(req: IncomingMessage, res: ServerResponse, status: number, json?: object): void {
  const body = json && Buffer.from(JSON.stringify(json))
  res.writeHead(
    status,
    body && { 'content-type': 'application/json', 'content-length': body.length },
  )
  if (body && req.method !== 'HEAD') res.write(body)
  endAnswer(req, res)
}

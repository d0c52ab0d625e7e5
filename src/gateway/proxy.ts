/** Finds the upstream for a request, and another one when the first does not answer. */
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { Exchange, type Outcome, type Passage } from './exchange.ts'
import { noDeployment } from './route.ts'
import type { Targets } from './target-table.ts'
import type { Upstream } from './upstream.ts'

const FIRST_WAIT_MS = 25
const LONGEST_WAIT_MS = 400
/** A read that breaks the agent server each time must not do so for as long as it may wait. */
const MOST_SENDINGS = 3

/**
 * Settles when the request is answered or its client is gone. Throws `not_found`, and `unavailable`
 * when nothing answered: at once where the agent server may have acted on the request already and
 * it is not a read, else after `restartWaitMs`.
 */
export async function forward(
  passage: Passage,
  { targets, restartWaitMs, log }: { targets: Targets; restartWaitMs: number; log: Log },
): Promise<void> {
  const { name } = passage.route
  const giveUpAt = performance.now() + restartWaitMs
  const workspace_id = targets.workspaceOf(name)
  let upstream: Upstream | undefined = targets.upstreamOf(name)
  let failure: Failure | undefined
  let sendings = 0
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    if (upstream) failure = await attempt(passage, upstream, log)
    if (!failure || passage.res.closed) return
    if (upstream && failure.wasSent) sendings += 1
    const isLate = performance.now() + waitMs > giveUpAt || sendings >= MOST_SENDINGS
    if (isLate || !isRepeatable(failure, passage)) throw refusalOf(failure, name)
    await delay(waitMs)
    upstream = currentUpstream(targets, name)
    // The key was checked for this workspace; the name may have been given anew meanwhile.
    if (targets.workspaceOf(name) !== workspace_id) throw noDeployment(name)
  }
}

type Failure = Extract<Outcome, { kind: 'unanswered' }>

async function attempt(
  passage: Passage,
  upstream: Upstream,
  log: Log,
): Promise<Failure | undefined> {
  const outcome = await new Exchange(passage, upstream).run()
  if (outcome.kind === 'over') return undefined
  const { deployment_id, revision_id } = upstream.target
  log.debug({ err: outcome.error, deployment_id, revision_id }, 'the agent server did not answer')
  return outcome
}

/** Never sent, or a read without a body: nothing is done twice. */
function isRepeatable({ wasSent, error }: Failure, { req, body }: Passage): boolean {
  if (isRefusedByClient(error)) return false
  if (!wasSent) return body === undefined || !body.destroyed
  return body === undefined && (req.method === 'GET' || req.method === 'HEAD')
}

/** `undefined` while it is paused: an agent server that is restarted is back soon. */
function currentUpstream(targets: Targets, name: string): Upstream | undefined {
  try {
    return targets.upstreamOf(name)
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable') return undefined
    throw error
  }
}

function refusalOf({ error, wasSent }: Failure, name: string): AppError {
  if (error instanceof AppError) return error
  if (isRefusedByClient(error)) {
    return new AppError('bad_request', `The request cannot be passed on: ${error.message}.`)
  }
  const happened = wasSent
    ? 'broke off before it answered; whether it acted on the request is not known'
    : 'cannot be reached; try again soon'
  return new AppError('unavailable', `The agent server of "${name}" ${happened}.`, { cause: error })
}

/** Our HTTP client found the request malformed, or the body was refused on its way. */
function isRefusedByClient(error: Error): boolean {
  if (error instanceof AppError) return true
  const { code } = error as { code?: string }
  return code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED'
}

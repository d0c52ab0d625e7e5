/** Finds the upstream for a request, and tries another one if the first gives no response. */
import type { IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { AppError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { requireTalk } from '../core/people/agent-access.ts'
import type { Role } from '../core/people/api-key.ts'
import { type ClientRequest, Exchange, type Outcome } from './exchange.ts'
import { answerHeaders, nextHeaders, requestHeaders } from './headers.ts'
import type { Name } from './name.ts'
import { answerGlance, faultOfClient } from './refusal.ts'
import { type AgentRoute, noDeployment } from './route.ts'
import { type NextRequest, type RunAnswer, runAnswer } from './run-answer.ts'
import type { Targets } from './target-table.ts'
import type { Upstream } from './upstream/connections.ts'

const FIRST_WAIT_MS = 25
const LONGEST_WAIT_MS = 400
/** How often a request may be sent. One that crashes the agent server must not do so again and again. */
const MOST_SENDINGS = 3
/** How often a response about a run may break off and continue. */
const MOST_BREAKS = 10

/**
 * `never`: the request neither wakes a sleeping deployment (it gets a 409) nor keeps it awake. `glance`: the same with
 * a 204, for pages in a browser, whose console shows a line for each refusal.
 */
const WAKE_HEADER = 'x-runyard-wake'

/** An admitted request to an agent. */
export interface Passage extends ClientRequest {
  route: AgentRoute
  /** The `user_id` that belongs to the key. Absent: no key was checked. */
  caller?: string | undefined
  /** The caller's role, which the agent server enforces. */
  role?: Role | undefined
  /** No key was checked: only a project with its own auth, or a public deployment, may serve it. */
  isUnchecked?: boolean | undefined
  /** The headers with a control-plane key, which are forwarded only if the project may see it. */
  keyHeaders?: ReadonlySet<string> | undefined
  /** The span of the request, for the agent server; absent: the client's own is forwarded unchanged. */
  traceparent?: string | undefined
}

interface ForwardOptions {
  targets: Targets
  /** How long a request waits for an agent server that restarts, in ms. */
  restartWaitMs: number
  /** Whether a cookie for this domain would reach other hosts of Runyard than the request's. */
  isSharedDomain: (domain: string) => boolean
  log: Log
}

/**
 * Resolves when the request is answered or its client has left. Throws `not_found` when the name is unknown. Throws
 * `unavailable` without a response: at once when nothing runs, or when the agent server may have acted on a request
 * that is not a read; otherwise after `restartWaitMs`, or after the limit of the hold. Throws `conflict` for a request
 * that must not wake the deployment.
 *
 * A response about a run that breaks off continues: the run is read at the next server. If that is impossible, this
 * throws with the response begun; the caller must cut it.
 */
export function forward(passage: Passage, options: ForwardOptions): Promise<void> {
  return new Forwarding(passage, options).run()
}

/** Whether the request keeps the deployment awake. An open one (`isOpen`), a refused one or a glance does not. */
function isAsked({ req, caller, isUnchecked, res }: Passage): boolean {
  if (isGlance(req)) return false
  if (caller !== undefined) return true
  return isUnchecked === true && res.headersSent && ![401, 403].includes(res.statusCode)
}

/** Whether the request asks not to wake the deployment. */
export function isGlance({ headers }: IncomingMessage): boolean {
  return headers[WAKE_HEADER] === 'never' || headers[WAKE_HEADER] === 'glance'
}

class Forwarding {
  readonly #passage: Passage
  readonly #options: ForwardOptions
  readonly #workspace_id: string | undefined
  #since = performance.now()
  #failure: Failure | undefined
  /** A response that broke off, and the request that continues it. */
  #broken: { answer: RunAnswer; next: NextRequest } | undefined
  #breaks = 0
  #sendings = 0
  #waitMs = FIRST_WAIT_MS

  constructor(passage: Passage, options: ForwardOptions) {
    this.#passage = passage
    this.#options = options
    this.#workspace_id = this.#currentName().state?.workspace_id
  }

  async run(): Promise<void> {
    const leave = this.#currentName().enter()
    try {
      while (!this.#passage.res.closed) {
        const name = this.#currentName()
        // The key was checked for this workspace, but the name may have moved to another.
        if (name.state?.workspace_id !== this.#workspace_id) throw noDeployment(name.name)
        const path = this.#broken?.next.path ?? this.#passage.route.path
        const upstream = this.#options.targets.choose(name, path)
        if (upstream) {
          this.#requireCheck(name, upstream)
          const outcome = await attempt(this.#passage, upstream, this.#options, this.#broken)
          if (outcome.kind === 'over') return
          if (outcome.kind === 'broken') this.#noteBreak(outcome, upstream)
          else this.#note(outcome, upstream)
          await this.#waitForAnother(name)
        } else {
          if (this.#isLeftAsleep(name)) return
          await this.#waitForTarget(name)
        }
      }
    } finally {
      leave(isAsked(this.#passage))
    }
  }

  /**
   * Throws `unauthenticated` if no key was checked, the current revision has no auth of its own, and the deployment is
   * not public by now.
   */
  #requireCheck({ isPublic }: Name, { endpoint }: Upstream): void {
    if (!endpoint.checksRoles) this.#requireLook()
    if (!this.#passage.isUnchecked || endpoint.hasOwnAuth || isPublic) return
    throw new AppError('unauthenticated', 'An API key is needed. Send it as "X-Api-Key: KEY".')
  }

  /** An agent server of an older version enforces no roles: roles that look get only its reads. */
  #requireLook(): void {
    const { req, role, upgrade } = this.#passage
    const { method = 'GET' } = req
    const isRead = !upgrade && ['GET', 'HEAD', 'OPTIONS'].includes(method)
    if (!isRead) requireTalk(role, `${method} at an agent server of an older Runyard`)
  }

  #currentName(): Name {
    return this.#options.targets.find(this.#passage.route.name)
  }

  #note(failure: Failure, { target }: Upstream): void {
    this.#failure = failure
    if (failure.wasSent) this.#sendings += 1
    const { deployment_id, revision_id } = target
    const about = { err: failure.error, deployment_id, revision_id }
    this.#options.log.debug(about, 'the agent server did not answer')
  }

  /** Throws `unavailable` when nothing can continue the response. */
  #noteBreak({ answer, error }: Break, { target }: Upstream): void {
    const failure = { kind: 'unanswered', wasSent: true, error } as const
    const next = answer.next()
    this.#breaks += 1
    if (!next || this.#breaks > MOST_BREAKS) throw refusalOf(failure, this.#passage.route.name)
    this.#broken = { answer, next }
    this.#failure = failure
    this.#since = performance.now()
    const { deployment_id, revision_id } = target
    const about = { err: error, deployment_id, revision_id, ...next }
    this.#options.log.info(about, 'an answer about a run broke off; the next agent server goes on')
  }

  /** Waits before the next attempt, or until the name has another upstream. */
  async #waitForAnother(name: Name): Promise<void> {
    const failure = this.#failure as Failure
    const isLate = this.#leftMs(name) < this.#waitMs
    const isLast = !this.#broken && this.#sendings >= MOST_SENDINGS
    if (isLate || isLast || !this.#isRepeatable(failure)) throw refusalOf(failure, name.name)
    await name.changed(this.#waitMs, this.#passage.res)
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS)
  }

  /**
   * Whether repeating the request does nothing twice: it was never sent, or it is a read without a body, as is the one
   * that continues a response.
   */
  #isRepeatable({ wasSent, error }: Failure): boolean {
    const { req, body } = this.#passage
    if (faultOfClient(error)) return false
    if (this.#broken) return true
    if (!wasSent) return !(body instanceof Readable) || !body.destroyed
    return body === undefined && (req.method === 'GET' || req.method === 'HEAD')
  }

  /** Responds to a glance at a sleeping deployment. Throws `conflict` for `never`. */
  #isLeftAsleep(name: Name): boolean {
    const { req, res } = this.#passage
    if (!name.isAsleep || this.#broken || !isGlance(req)) return false
    if (req.headers[WAKE_HEADER] === 'never') throw sleepsOn(name.name)
    answerGlance(req, res, name)
    return true
  }

  async #waitForTarget(name: Name): Promise<void> {
    // A request that a dying agent server left open waits for the next server in any case.
    if (!this.#failure) name.requireNotPaused()
    const leftMs = this.#leftMs(name)
    if (leftMs <= 0) throw this.#failure ? refusalOf(this.#failure, name.name) : notBack(name.name)
    const { req, caller, res } = this.#passage
    if (!isGlance(req)) name.noteWaiting()
    await (caller ? name.changed(leftMs, res) : name.changedForAnonymous(leftMs, res))
  }

  #leftMs({ state }: Name): number {
    const limitMs = state?.kind === 'held' ? state.limitMs : this.#options.restartWaitMs
    return this.#since + limitMs - performance.now()
  }
}

function notBack(name: string): AppError {
  return new AppError('unavailable', `The agent server of "${name}" is not back yet; try again.`)
}

function sleepsOn(name: string): AppError {
  const why = 'A request without "X-Runyard-Wake: never" wakes it.'
  return new AppError('conflict', `"${name}" is asleep, and this request lets it sleep. ${why}`)
}

type Failure = Extract<Outcome, { kind: 'unanswered' }>
type Break = Extract<Outcome, { kind: 'broken' }>

function attempt(
  passage: Passage,
  upstream: Upstream,
  { isSharedDomain }: ForwardOptions,
  broken: { answer: RunAnswer; next: NextRequest } | undefined,
): Promise<Outcome> {
  const { req, route, caller, role, traceparent, keyHeaders } = passage
  const { path, prefix } = route
  const { method } = req
  const { revision_id } = upstream.target
  const { cookie } = req.headers
  const { token, hasOwnAuth, forwardsApiKey } = upstream.endpoint
  const spent = hasOwnAuth || forwardsApiKey ? undefined : keyHeaders
  const headers = requestHeaders(req, { prefix, token, caller, role, traceparent, spent })
  return new Exchange(passage, {
    connections: upstream,
    path: broken?.next.path ?? path,
    headers: broken ? nextHeaders(headers, broken.next.lastEventId) : headers,
    answerHeaders: (raw) => answerHeaders(raw, { revision_id, prefix, cookie, isSharedDomain }),
    answerAfter: (head) => runAnswer({ method, path }, head),
    goesOnWith: broken?.answer,
  }).run()
}

function refusalOf({ error, wasSent }: Failure, name: string): AppError {
  const refusal = faultOfClient(error)
  if (refusal) return refusal
  const happened = wasSent
    ? 'broke off before it answered; whether it acted on the request is not known'
    : 'cannot be reached; try again soon'
  return new AppError('unavailable', `The agent server of "${name}" ${happened}.`, { cause: error })
}

/** A listener's client of its control plane, with its key, and how its gateway identifies callers through it. */
import { hash } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import {
  EXCHANGE_WAIT_MS,
  type ListenerOrders,
  type ListenerReport,
} from '../core/deployment/listener-protocol.ts'
import type { Authenticate } from '../core/deployment/target.ts'
import { AppError, type ErrorCode } from '../core/errors.ts'
import type { Principal } from '../core/people/api-key.ts'
import { requireKeyIn } from '../core/people/sent-key.ts'

/** Time for an answer beyond the time for which the control plane holds it back, in ms. */
const ANSWER_MS = 15_000
/** Status codes that are passed on; others are the control plane's own trouble, and are tried again. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_request',
  401: 'unauthenticated',
  403: 'forbidden',
  409: 'conflict',
  422: 'invalid',
}

interface ControlPlaneClient {
  exchange(report: ListenerReport, signal: AbortSignal): Promise<ListenerOrders>
  /** Returns the principal of the key in these headers. Throws as the control plane's own gateway does. */
  caller(headers: Readonly<Record<string, string>>): Promise<Principal>
}

/** Throws `unavailable` if the control plane does not answer, and its refusals with their sentences. */
export function createControlPlaneClient({
  url,
  key,
}: {
  url: string
  key: string
}): ControlPlaneClient {
  const ask = async (path: string, body: unknown, signal: AbortSignal): Promise<unknown> => {
    const response = await fetch(`${url}/internal/listener/${path}`, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify(body),
      signal,
    }).catch((cause: unknown) => {
      signal.throwIfAborted()
      throw new AppError('unavailable', `The control plane at ${url} does not answer.`, { cause })
    })
    if (response.ok) return response.json()
    throw new AppError(CODES[response.status] ?? 'unavailable', await sentenceOf(response))
  }
  return {
    async exchange(report, signal) {
      const limit = AbortSignal.timeout(EXCHANGE_WAIT_MS + ANSWER_MS)
      const orders = await ask('exchange', report, AbortSignal.any([signal, limit]))
      return orders as ListenerOrders
    },
    async caller(headers) {
      return (await ask('caller', { headers }, AbortSignal.timeout(ANSWER_MS))) as Principal
    },
  }
}

async function sentenceOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined)
  const { detail } = (body ?? {}) as { detail?: unknown }
  if (typeof detail === 'string') return detail
  return `The control plane answers ${response.status}: ${JSON.stringify(detail ?? '').slice(0, 500)}`
}

/** How long an answer holds, in ms: a key that is revoked is refused after this time at the latest. */
const FRESH_MS = 60_000
/** How long it holds while the control plane does not answer. */
const STALE_MS = 3_600_000
/** A refusal holds for less: the key may just have been created. */
const REFUSED_MS = 5_000
const MOST_CALLERS = 10_000
const HEADERS = ['x-api-key', 'authorization', 'x-tenant-id'] as const

/** Times are in ms since 1970. */
interface Known {
  answer: Promise<Principal>
  isRefused: boolean
  /** When the listener last asked. */
  at: number
  /** When the control plane was asked for this answer. */
  answeredAt: number
}

/**
 * Asks the control plane about each key once a minute. Throws as the control plane refuses, and `unavailable` where it
 * does not answer and the key was not seen lately.
 */
export function createCallers(
  client: Pick<ControlPlaneClient, 'caller'>,
  clock: Clock,
): Authenticate {
  const known = new Map<string, Known>()
  const ask = (id: string, headers: Record<string, string>, before: Known | undefined) => {
    const answer = client.caller(headers).catch((error: unknown) => {
      const isAway = !(error instanceof AppError) || error.code === 'unavailable'
      const isKnown = before && !before.isRefused && clock.now() - before.answeredAt < STALE_MS
      if (isAway && isKnown) {
        one.answeredAt = before.answeredAt
        return before.answer
      }
      if (!isAway) one.isRefused = true
      else if (known.get(id) === one) known.delete(id)
      throw error instanceof AppError ? error : away(error)
    })
    const now = clock.now()
    const one: Known = { answer, isRefused: false, at: now, answeredAt: now }
    known.delete(id)
    known.set(id, one)
    const [oldest] = known.keys()
    if (known.size > MOST_CALLERS && oldest !== undefined) known.delete(oldest)
    return answer
  }
  return async (sent) => {
    requireKeyIn(sent)
    const headers = Object.fromEntries(
      HEADERS.flatMap((name) => {
        const value = sent.get(name)
        return value === null ? [] : [[name, value]]
      }),
    )
    const id = hash('sha256', JSON.stringify(headers))
    const before = known.get(id)
    const limitMs = before?.isRefused ? REFUSED_MS : FRESH_MS
    if (before && clock.now() - before.at < limitMs) return before.answer
    return ask(id, headers, before)
  }
}

function away(cause: unknown): AppError {
  const why = 'The control plane does not say in time whose the key is; try again.'
  return new AppError('unavailable', why, { cause })
}

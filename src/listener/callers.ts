/** Identifies callers of a listener's gateway: asks the control plane about each key once a minute. */
import { hash } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import type { Authenticate } from '../core/deployment/target.ts'
import { AppError } from '../core/errors.ts'
import type { Principal } from '../core/people/api-key.ts'
import { requireKeyIn } from '../core/people/sent-key.ts'
import type { ControlPlaneClient } from './client.ts'

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

/** Throws as the control plane refuses, and `unavailable` where it does not answer and the key was not seen lately. */
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

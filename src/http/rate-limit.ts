/** Refuses callers that send too many requests. */
import type { Context } from 'hono'
import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { AppError } from '../core/errors.ts'

const SECOND_MS = 1_000
const REFUSALS: readonly AppError['code'][] = ['unauthenticated', 'forbidden']

/** The sender that a request counts for: its caller, or the address of an unknown caller. */
export type Sender = { identity: string } | { address: string }

/**
 * Counts requests by their senders, and refuses those beyond `perSecond` of one sender within a second. Unproven claims
 * of callers are ignored, since they could change with each request. Each process counts for itself.
 */
export class RateLimit {
  readonly #perSecond: number
  readonly #message: string
  // The library is loaded at the first use, since few servers set a limit.
  #limiter: Promise<RateLimiterMemory> | undefined

  /** `message`: for refused callers, instead of the one that names the setting. */
  constructor(perSecond: number, message = ofSetting(perSecond)) {
    this.#perSecond = perSecond
    this.#message = message
  }

  /** Throws `too_many_requests`. */
  async take(sender: Sender): Promise<void> {
    this.#limiter ??= createLimiter(this.#perSecond)
    const limiter = await this.#limiter
    await limiter.consume(nameOf(sender)).catch((refusal: unknown) => {
      throw asRefusal(refusal, this.#message)
    })
  }

  /**
   * Does the work, which counts only if it is refused (`unauthenticated` or `forbidden`). After too many refusals
   * within the second it throws `too_many_requests` instead, and before the work.
   */
  async countingRefusals<T>(sender: Sender, work: () => Promise<T>): Promise<T> {
    await this.#requireRoom(sender)
    try {
      return await work()
    } catch (error) {
      if (error instanceof AppError && REFUSALS.includes(error.code)) await this.take(sender)
      throw error
    }
  }

  async #requireRoom(sender: Sender): Promise<void> {
    const counted = await (await this.#limiter)?.get(nameOf(sender))
    if (counted && counted.remainingPoints <= 0) throw asRefusal(counted, this.#message)
  }

  /** Removes a request from the count: it was another sender's. */
  async giveBack(sender: Sender): Promise<void> {
    await (await this.#limiter)?.reward(nameOf(sender))
  }
}

/** The address of a request's connection. Empty for a request from within the process. */
export function remoteAddress(c: Context): string {
  return c.env?.incoming?.socket?.remoteAddress ?? ''
}

async function createLimiter(points: number): Promise<RateLimiterMemory> {
  const { RateLimiterMemory } = await import('rate-limiter-flexible')
  return new RateLimiterMemory({ points, duration: SECOND_MS / 1000 })
}

/** The key to count by. The kind is part of it, since an identity can look like an address. */
function nameOf(sender: Sender): string {
  return 'identity' in sender ? `identity ${sender.identity}` : `address ${sender.address}`
}

function ofSetting(perSecond: number): string {
  return `A caller may send ${perSecond} requests a second (RUNYARD_MAX_REQUESTS_PER_SECOND). Send fewer.`
}

function asRefusal(refusal: unknown, message: string): AppError {
  const waitMs = (refusal as { msBeforeNext?: number }).msBeforeNext ?? SECOND_MS
  const retryAfterSeconds = Math.max(Math.ceil(waitMs / 1000), 1)
  return new AppError('too_many_requests', message, { retryAfterSeconds })
}

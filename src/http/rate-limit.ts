/** Refusing those who send more requests than they may. */
import type { Context } from 'hono'
import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { AppError } from '../core/errors.ts'

const SECOND_MS = 1_000

/** Whom a request counts for: who its caller is, or, of one who is not known, where it came from. */
export type Sender = { identity: string } | { address: string }

/**
 * Counts requests by their senders, and refuses those after the `perSecond`th of one within a second.
 * What a caller says of itself is nothing to count by: anyone could say something else each time. Each
 * process counts for itself.
 */
export class RateLimit {
  readonly #perSecond: number
  // Few set a limit: the others need not load the library.
  #limiter: Promise<RateLimiterMemory> | undefined

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /** Throws `too_many_requests`. */
  async take(sender: Sender): Promise<void> {
    this.#limiter ??= createLimiter(this.#perSecond)
    const limiter = await this.#limiter
    await limiter.consume(nameOf(sender)).catch((refusal: unknown) => {
      throw asRefusal(refusal, this.#perSecond)
    })
  }

  /** The request counts for somebody else after all. */
  async giveBack(sender: Sender): Promise<void> {
    await (await this.#limiter)?.reward(nameOf(sender))
  }
}

/** Where a request's connection comes from; empty for a request from within the process. */
export function remoteAddress(c: Context): string {
  return c.env?.incoming?.socket?.remoteAddress ?? ''
}

async function createLimiter(points: number): Promise<RateLimiterMemory> {
  const { RateLimiterMemory } = await import('rate-limiter-flexible')
  return new RateLimiterMemory({ points, duration: SECOND_MS / 1000 })
}

/** An identity can look like an address. */
function nameOf(sender: Sender): string {
  return 'identity' in sender ? `identity ${sender.identity}` : `address ${sender.address}`
}

function asRefusal(refusal: unknown, perSecond: number): AppError {
  const waitMs = (refusal as { msBeforeNext?: number }).msBeforeNext ?? SECOND_MS
  return new AppError(
    'too_many_requests',
    `A caller may send ${perSecond} requests a second (RUNYARD_MAX_REQUESTS_PER_SECOND). Send fewer.`,
    { retryAfterSeconds: Math.max(Math.ceil(waitMs / 1000), 1) },
  )
}

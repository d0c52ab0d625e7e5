/** Refusing those who send more requests than they may. */
import { createHash } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { AppError } from '../core/errors.ts'

const SECOND_MS = 1_000

/**
 * Middleware that throws `too_many_requests` for the request after the `perSecond`th of a key within
 * a second; who sends none counts by address. `/ok` is free, so that a health check gets through.
 * Each process counts for itself.
 */
export function limitRate(perSecond: number): MiddlewareHandler {
  // Few set a limit: the others need not load the library.
  let limiter: Promise<RateLimiterMemory> | undefined
  return async (c, next) => {
    if (c.req.path !== '/ok' && c.env?.isInProcess !== true) {
      limiter ??= createLimiter(perSecond)
      await take(await limiter, senderOf(c), perSecond)
    }
    await next()
  }
}

async function createLimiter(points: number): Promise<RateLimiterMemory> {
  const { RateLimiterMemory } = await import('rate-limiter-flexible')
  return new RateLimiterMemory({ points, duration: SECOND_MS / 1000 })
}

async function take(limiter: RateLimiterMemory, sender: string, perSecond: number): Promise<void> {
  try {
    await limiter.consume(sender)
  } catch (refusal) {
    const waitMs = (refusal as { msBeforeNext?: number }).msBeforeNext ?? SECOND_MS
    throw new AppError(
      'too_many_requests',
      `A key may send ${perSecond} requests a second (RUNYARD_MAX_REQUESTS_PER_SECOND). Send fewer.`,
      { retryAfterSeconds: Math.max(Math.ceil(waitMs / 1000), 1) },
    )
  }
}

/** A hash, so that no key stands in memory longer than its request. */
function senderOf(c: Context): string {
  const key = c.req.header('x-api-key') ?? c.req.header('authorization')
  const address = c.env?.incoming?.socket?.remoteAddress ?? ''
  return key === undefined ? address : createHash('sha256').update(key).digest('base64')
}

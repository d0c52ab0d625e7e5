/** Counts JSON answers against the budget of the server. */
import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AgentServerEnv } from '../access/caller.ts'
import type { AnswerBudget } from '../answer-budget.ts'

type HeaderRecord = Record<string, string | string[]>

/**
 * Gives each request its `hold`, until the client has taken the answer or has left. Routes that know how much they are
 * going to read say so before they do; what they answer by `c.json` is counted in any case.
 */
export function holdAnswers(budget: AnswerBudget): MiddlewareHandler<AgentServerEnv> {
  return async (c, next) => {
    const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>
    const hold = budget.open()
    c.set('hold', hold)
    c.json = ((value: unknown, status?: ContentfulStatusCode, headers?: HeaderRecord) => {
      const text = JSON.stringify(value) ?? ''
      hold.atLeast(Buffer.byteLength(text))
      return c.body(text, status, { 'content-type': 'application/json', ...headers })
    }) as unknown as typeof c.json
    outgoing?.once('close', hold.release)
    try {
      await next()
    } finally {
      // A request from within the process has its answer now.
      if (!outgoing) hold.release()
    }
  }
}

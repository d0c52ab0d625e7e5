/** Counts JSON answers against the server's answer budget. */
import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AgentServerEnv } from '../access/caller.ts'
import type { AnswerBudget } from '../answer-budget.ts'

type HeaderRecord = Record<string, string | string[]>

/**
 * Gives each request a `hold` until the client has received the answer or has left. Routes that know the size of their
 * answer reserve it before they read; answers by `c.json` are always counted.
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
      // An in-process request has its answer now.
      if (!outgoing) hold.release()
    }
  }
}

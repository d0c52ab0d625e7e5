/** The three handlers that create a run, on a thread or stateless. */
import type { Context } from 'hono'
import type { QueuedRun } from '../../core/agent/run.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import type { Parts } from '../parts.ts'
import { askingRun } from './circle.ts'
import { createRun } from './create.ts'
import { runRequest } from './request.ts'
import { answerWithResult, answerWithStream, namespacesOf, runLocation } from './responses.ts'
import type { RunCreate } from './schemas.ts'
import { runOnWire } from './wire.ts'

/** A request with the body and headers of a run's creation. */
type Creation = Context<
  AgentServerEnv,
  string,
  { out: { json: RunCreate; header: { 'idempotency-key'?: string | undefined } } }
>

/** Each creates a run on the thread, or with `null` on its own thread. Throws like `createRun`. */
export function creationHandlers(parts: Parts) {
  const create = (
    c: Creation,
    thread_id: string | null,
    { isWaiting }: { isWaiting: boolean },
  ): Promise<QueuedRun> => {
    const idempotencyKey = c.req.valid('header')['idempotency-key']
    const request = runRequest(c.req.valid('json'))
    const waiting_run_id = isWaiting ? askingRun(c, request.config.configurable) : undefined
    const options = { idempotencyKey, waiting_run_id }
    return createRun(parts, c.var.caller, thread_id, request, options)
  }
  const isCancelledOnLeave = (c: Creation) => c.req.valid('json').on_disconnect === 'cancel'
  return {
    /** Returns the run at once. */
    async create(c: Creation, thread_id: string | null) {
      const run = await create(c, thread_id, { isWaiting: false })
      return c.json(runOnWire(run), 200, runLocation(run))
    },
    /** Returns the run's final values. */
    async wait(c: Creation, thread_id: string | null) {
      const run = await create(c, thread_id, { isWaiting: true })
      const how = { isCancelledOnLeave: isCancelledOnLeave(c) }
      return answerWithResult(c, { parts, run, ...how }) as never
    },
    /** Streams the run's events. */
    async stream(c: Creation, thread_id: string | null) {
      const run = await create(c, thread_id, { isWaiting: true })
      const how = { isNew: true, after: -1, isCancelledOnLeave: isCancelledOnLeave(c) }
      return answerWithStream(c, { parts, run, ...how, ...namespacesOf(c) })
    },
  }
}

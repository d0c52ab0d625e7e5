/** What the control plane's routes have in common. */
import type { z } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { invalidField } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import { RefusalSchema, ValidationErrorSchema } from '../../http/app.ts'

/** Who asks, set by the key check before any route of `/v1` and `/v2`. */
export interface ControlPlaneEnv {
  Variables: { principal: Principal }
}

/**
 * Any one of these lets a request in. A workspace id is no secret: it comes with a key, unlike in
 * the original's document.
 */
export const SECURITY: Record<string, string[]>[] = [
  { 'API Key': [] },
  { 'API Key': [], 'Tenant ID': [] },
  { 'Bearer Auth': [] },
  { Session: [] },
]

/** A JSON answer for the OpenAPI document. */
export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } }
}

/** A JSON body that may be left out: it stands for an empty object. */
export function optionalBody<Schema extends z.ZodType>(schema: Schema) {
  return { required: false, content: { 'application/json': { schema } } }
}

/** A JSON body that has to be there; where all its fields may be absent, `requireBody` asks for it. */
export function body<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } }
}

/** Throws `invalid` without a body: nothing is changed or made by a request that says nothing. */
export const requireBody: MiddlewareHandler = async (c, next) => {
  // `createApp` leaves the type to requests with a body only.
  if (c.req.header('content-type') !== undefined) return next()
  throw invalidField(['body'], 'Send a JSON object, {} at least.', 'missing')
}

const REFUSALS = {
  400: json(RefusalSchema, 'The request does not fit the source, or names what is reserved.'),
  401: json(RefusalSchema, 'There is no API key, or it is unknown.'),
  403: json(RefusalSchema, 'The API key may not do this.'),
  404: json(RefusalSchema, 'There is no such thing in the workspace.'),
  409: json(RefusalSchema, 'The name is taken, or the thing is being deleted.'),
  410: json(RefusalSchema, 'It was there, and is not there any more.'),
  413: json(RefusalSchema, 'The body is too large.'),
  422: json(ValidationErrorSchema, 'The request does not validate.'),
  429: json(RefusalSchema, 'There were too many before; `retry-after` says when to come again.'),
  503: json(RefusalSchema, 'Another server does not answer; the same request may be sent again.'),
}

/** The refusals with these statuses, for the OpenAPI document. */
export function refusals<Status extends keyof typeof REFUSALS>(
  ...statuses: Status[]
): Pick<typeof REFUSALS, Status> {
  const entries = statuses.map((status) => [status, REFUSALS[status]])
  return Object.fromEntries(entries) as Pick<typeof REFUSALS, Status>
}

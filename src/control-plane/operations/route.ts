/** What the control plane's routes have in common. */
import type { OpenAPIHono, z } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { AppError, invalidField } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import {
  createRoutes as createRoutesOf,
  RefusalSchema,
  ValidationErrorSchema,
} from '../../http/app.ts'
import { json, operations } from '../../http/operation.ts'

export { json }

/** The caller, set by the key check before any route of `/v1` and `/v2`. */
export interface ControlPlaneEnv {
  Variables: { principal: Principal }
}

export type Routes = OpenAPIHono<ControlPlaneEnv>

/** A sub-app for the routes of one resource. */
export const createRoutes: () => Routes = createRoutesOf<ControlPlaneEnv>

/** An optional JSON body; absent means an empty object. */
export function optionalBody<Schema extends z.ZodType>(schema: Schema) {
  return { required: false, content: { 'application/json': { schema } } }
}

/** A required JSON body; if all its fields may be absent, `requireBody` enforces it. */
export function body<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } }
}

/** Throws `invalid` without a body: an empty request must not change or make anything. */
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

/**
 * Any one of these lets a request in. A workspace id is no secret: it comes with a key, unlike in
 * LangGraph Platform's document.
 */
const SECURITY: Record<string, string[]>[] = [
  { 'API Key': [] },
  { 'API Key': [], 'Tenant ID': [] },
  { 'Bearer Auth': [] },
  { Session: [] },
]

/** Declares the operations with this tag. They refuse requests without a key (401) or without the permission (403). */
export function operationsOf(tag: string, always: readonly (401 | 403)[] = [401, 403]) {
  const common = { tags: [tag], security: SECURITY, refusals: REFUSALS }
  return operations({ ...common, always, withRequest: [422] })
}

/** As `operationsOf`, where most operations are open to every key. */
export function operationsForAnyKey(tag: string) {
  return operationsOf(tag, [401])
}

/** Declares operations that need no key. */
export function openOperationsOf(tag: string) {
  return operations({ tags: [tag], security: [], refusals: REFUSALS })
}

/** The largest JSON body, in bytes: room for 200 secrets of 64 KiB. */
const MAX_BODY_BYTES = 20 * 1024 * 1024

/**
 * Refuses larger bodies with `too_large`: by the announced length before anything is read, or, in chunks, as
 * soon as the limit is passed. Hono's own middleware rebuilds the request, which does not work with the
 * server's light requests.
 */
export const limitBody: MiddlewareHandler = async (c, next) => {
  const length = c.req.header('content-length')
  if (length !== undefined && Number(length) > MAX_BODY_BYTES) throw tooLarge()
  const isChunked = c.req.header('transfer-encoding') !== undefined
  const { body } = c.req.raw
  if (isChunked && body) {
    // The cache holds promises, despite its type.
    Object.assign(c.req.bodyCache, { arrayBuffer: Promise.resolve(await readLimited(body)) })
  }
  await next()
}

async function readLimited(body: AsyncIterable<Uint8Array>): Promise<ArrayBuffer> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(new Uint8Array(chunk))
  }
  return new Blob(chunks).arrayBuffer()
}

function tooLarge(): AppError {
  return new AppError('too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`)
}

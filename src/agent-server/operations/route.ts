/** What the agent server's routes have in common. */
import type { OpenAPIHono, z } from '@hono/zod-openapi'
import {
  createRoutes as createRoutesOf,
  RefusalSchema,
  ValidationErrorSchema,
} from '../../http/app.ts'
import { json, operations } from '../../http/operation.ts'
import type { AgentServerEnv } from '../access/caller.ts'

export { json }

/** A sub-app for the routes of one resource. */
export const createRoutes: () => OpenAPIHono<AgentServerEnv> = createRoutesOf<AgentServerEnv>

/** A JSON body. It is optional if the schema accepts an empty object. */
export function body<T extends z.ZodType>(schema: T) {
  const required = !schema.safeParse({}).success
  return { required, content: { 'application/json': { schema } } }
}

const REFUSALS = {
  400: json(RefusalSchema, 'Cannot be done so'),
  404: json(RefusalSchema, 'Not found'),
  409: json(RefusalSchema, 'Conflict'),
  410: json(RefusalSchema, 'Not kept any more'),
  422: json(ValidationErrorSchema, 'The request does not validate'),
  429: json(RefusalSchema, 'Too many; the answer says of what, and `Retry-After` when'),
}

const COMMON = { refusals: REFUSALS, areTagsFirst: true }

/** Declares the operations with this tag. They refuse requests that do not validate (422). */
export function operationsOf(tag: string) {
  return operations({ ...COMMON, tags: [tag], withRequest: [422] })
}

/** Declares operations that need no key. */
export function openOperationsOf(tag: string) {
  return operations({ ...COMMON, tags: [tag], security: [] })
}

/** Declares JSON-RPC operations, which report invalid requests in their answers. */
export function rpcOperationsOf(tag: string) {
  return operations({ ...COMMON, tags: [tag] })
}

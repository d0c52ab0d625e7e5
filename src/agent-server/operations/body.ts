/** Bodies of requests, for the OpenAPI document. */
import type { z } from '@hono/zod-openapi'

/** A JSON body. It is optional if the schema accepts an empty object. */
export function body<T extends z.ZodType>(schema: T) {
  const required = !schema.safeParse({}).success
  return { required, content: { 'application/json': { schema } } }
}

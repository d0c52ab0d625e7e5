/** Adds the refusals that precede any route to the OpenAPI documents. */
import type { OpenAPIHono } from '@hono/zod-openapi'

type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>

/** The part of an operation that this file reads and extends. */
interface Operation {
  security?: object[]
  requestBody?: object
  responses: Record<string, object>
}

/**
 * The document, in which each operation also has the refusals that its route does not name: 401 and 403
 * when it needs credentials; 400 (not UTF-8), 413 and 415 when it has a body.
 */
export function addCommonRefusals(document: Document): Document {
  const paths = Object.entries(document.paths ?? {}).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations as Record<string, Operation>).map(([method, operation]) => [
        method,
        {
          ...operation,
          responses: { ...commonRefusals(operation, document.security), ...operation.responses },
        },
      ]),
    ),
  ])
  return { ...document, paths: Object.fromEntries(paths) }
}

function commonRefusals({ security, requestBody }: Operation, general: object[] = []) {
  const needsCredentials = (security ?? general).length > 0
  return {
    ...(requestBody && {
      400: refusal('Cannot be done so'),
      413: refusal('The body is too large'),
      415: refusal('The body is compressed'),
    }),
    ...(needsCredentials && {
      401: refusal('There are no credentials, or they are unknown'),
      403: refusal('Whoever asks may not do this'),
    }),
  }
}

function refusal(description: string) {
  const schema = { $ref: '#/components/schemas/Refusal' }
  return { description, content: { 'application/json': { schema } } }
}

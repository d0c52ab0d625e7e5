/** Changes of the API by `langgraph.json`: the parts that `disable_…` removes, and the description's `auth.openapi`. */

import type { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import type { ApiPart, OpenApiSecurity } from '../../core/agent/server/project-settings.ts'
import { notFound } from '../../http/errors.ts'

/** The first match counts. `/ok` belongs to no part: monitoring needs it. */
const PLACES: [ApiPart, RegExp][] = [
  ['crons', /^\/runs\/crons(\/|$)|^\/threads\/[^/]+\/runs\/crons$/],
  ['runs', /^\/runs(\/|$)|^\/threads\/[^/]+\/(runs|stream|commands)(\/|$)/],
  ['threads', /^\/threads(\/|$)/],
  ['assistants', /^\/assistants(\/|$)/],
  ['store', /^\/store(\/|$)/],
  ['mcp', /^\/mcp(\/|$)/],
  ['a2a', /^\/a2a(\/|$)|^\/\.well-known\/agent-card\.json$/],
  ['webhooks', /^\/webhooks(\/|$)/],
  ['ui', /^\/ui(\/|$)/],
  ['meta', /^\/$|^\/(info|metrics|docs|openapi\.json)(\/|$)/],
]

/** The part that a path, real or with `{names}`, belongs to. */
function partOf(path: string): ApiPart | undefined {
  return PLACES.find(([, place]) => place.test(path))?.[0]
}

/** Answers 404 to requests to a disabled part. */
export function leaveOut(disabled: ReadonlySet<ApiPart>): MiddlewareHandler {
  return async (c, next) => {
    const part = partOf(c.req.path)
    if (part && disabled.has(part)) return notFound(c)
    return next()
  }
}

type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>

/** The API's description without the disabled parts. */
export function describeRest(document: Document, disabled: ReadonlySet<ApiPart>): Document {
  const paths = Object.entries(document.paths ?? {}).filter(([path]) => {
    const part = partOf(path)
    return !part || !disabled.has(part)
  })
  return { ...document, paths: Object.fromEntries(paths) }
}

interface Described {
  components?: object
  paths?: Record<string, object>
}

/** Replaces the schemes and requirements of the server's keys in the document by the project's. */
export function describeSecurity<T extends Described>(document: T, own: OpenApiSecurity): T {
  const { securitySchemes, security, paths = {} } = own
  const changed = Object.entries(paths).flatMap(([path, methods]) => {
    const operations = document.paths?.[path]
    return operations ? [[path, withSecurity(operations, methods)] as const] : []
  })
  return {
    ...document,
    ...(security && { security }),
    ...(securitySchemes && { components: { ...document.components, securitySchemes } }),
    paths: { ...document.paths, ...Object.fromEntries(changed) },
  }
}

/** Methods in upper or lower case. Methods that the path does not have are ignored. */
function withSecurity(operations: object, methods: Record<string, unknown>): object {
  const wanted = new Map(Object.entries(methods).map(([name, one]) => [name.toLowerCase(), one]))
  const entries = Object.entries(operations).map(([method, operation]) => [
    method,
    wanted.has(method) ? { ...operation, security: wanted.get(method) } : operation,
  ])
  return Object.fromEntries(entries)
}

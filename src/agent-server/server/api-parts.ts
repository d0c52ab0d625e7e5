/** Removes parts of the API that a project disables with `disable_…` in `langgraph.json`. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import type { ApiPart } from '../../core/agent/server/project-settings.ts'
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

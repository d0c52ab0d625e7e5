/** Gives every request an id, a span, a line in the log (at `debug`) and counts it in the metrics. */
import { randomUUID } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { RequestMetrics } from '../core/agent/server/metrics.ts'
import type { Log } from '../core/log.ts'
import { withOrigin } from '../core/origin.ts'
import { noTracer, type Tracer, validTraceparent } from '../core/tracing.ts'

interface Observers {
  log: Log
  metrics?: RequestMetrics
  tracer?: Tracer
  /** The path for logs and spans, if a path itself can be a secret. */
  shownPath?: (path: string) => string
  /** The headers that the log shows. Default: none. */
  shownHeaders?: ((headers: Headers) => Record<string, string>) | undefined
}

/** The ids that callers may choose. They go into logs unchanged. */
const SANE_ID = /^[\w.:@/+=-]{1,128}$/
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const THREAD = new RegExp(`/threads/(${UUID})(?:/|$)`, 'i')
const RUN = new RegExp(`/runs/(${UUID})(?:/|$)`, 'i')

/** Register it first: it observes everything after it. It returns the id as `x-request-id`. */
export function observeRequests({
  log,
  metrics,
  tracer = noTracer,
  shownPath = (path) => path,
  shownHeaders,
}: Observers): MiddlewareHandler {
  return (c, next) => {
    const { method } = c.req
    const path = shownPath(c.req.path)
    const begun = performance.now()
    const request_id = requestId(c.req.header('x-request-id'))
    const ids = { thread_id: THREAD.exec(path)?.[1], run_id: RUN.exec(path)?.[1] }
    const parent = validTraceparent(c.req.header('traceparent'))
    const attributes = { 'http.request.method': method, 'url.path': path, request_id }
    return tracer.span({ name: method, kind: 'server', parent, attributes }, (span) =>
      withOrigin({ request_id, ...ids, traceparent: span.traceparent }, async () => {
        c.header('x-request-id', request_id)
        await next()
        const route = routeOf(c)
        const { status } = c.res
        const seconds = (performance.now() - begun) / 1000
        metrics?.requestAnswered({ method, route, status, seconds })
        span.rename(`${method} ${route}`)
        span.set({ 'http.route': route, 'http.response.status_code': status })
        if (status >= 500) span.fail(`answered ${status}`)
        const headers = shownHeaders && { headers: shownHeaders(c.req.raw.headers) }
        const ms = Math.round(seconds * 1000)
        log.debug({ method, path, status, ms, ...headers }, 'answered a request')
      }),
    )
  }
}

function requestId(sent: string | undefined): string {
  return sent !== undefined && SANE_ID.test(sent) ? sent : randomUUID()
}

/** The route of the handler, not of its middleware. */
function routeOf(c: Context): string {
  const route = matchedRoutes(c).findLast(({ method, path }) => method !== 'ALL' && path !== '/*')
  return route?.path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}') ?? 'other'
}

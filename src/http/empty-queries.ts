/** Drops query values that are empty. */
import type { HonoRequest, MiddlewareHandler } from 'hono'

/**
 * Treats an empty value as absent: httpx, and so the Python SDK, sends `stream_mode=` for `None`.
 * Register it before the routes, whose validation reads `queries()`.
 */
export const passOverEmptyQueries: MiddlewareHandler = async (c, next) => {
  if (c.req.url.includes('?')) {
    const queries = withoutEmpty(c.req.queries())
    const read = (name?: string) => (name === undefined ? queries : queries[name])
    c.req.queries = read as HonoRequest['queries']
  }
  await next()
}

function withoutEmpty(queries: Record<string, string[]>): Record<string, string[]> {
  const said = Object.entries(queries).flatMap(([name, values]): [string, string[]][] => {
    const given = values.filter((value) => value !== '')
    return given.length > 0 ? [[name, given]] : []
  })
  return Object.fromEntries(said)
}

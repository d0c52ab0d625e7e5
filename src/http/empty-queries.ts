/** Query values that say nothing. */
import type { HonoRequest, MiddlewareHandler } from 'hono'

/**
 * An empty value counts as absent: httpx, and so the Python SDK, sends `stream_mode=` for `None`. Goes
 * before the routes, whose validation asks for `queries()`.
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

/** Responds to requests that no route matches. */
import type { NotFoundHandler } from 'hono'
import { METHOD_NAME_ALL } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'
import type { RouterRoute } from 'hono/types'
import { type ErrorBody, notFound } from './errors.ts'

type Route = Pick<RouterRoute, 'method' | 'path'>

/**
 * The handler for `app.notFound`. Responds 405 with `Allow` when one of `routes` has the path, otherwise 404.
 * Middleware does not count as a route.
 */
export function refuseUnmatched(routes: readonly Route[]): NotFoundHandler {
  const methods = new TrieRouter<string>()
  for (const { method, path } of routes) {
    if (method !== METHOD_NAME_ALL) methods.add(METHOD_NAME_ALL, path, method)
  }
  return (c) => {
    const allow = allowed(methods.match(METHOD_NAME_ALL, c.req.path)[0].map(([method]) => method))
    if (allow.length === 0) return notFound(c)
    const { pathname } = new URL(c.req.url)
    const detail = `${c.req.method} is not possible on ${pathname}; it takes ${allow.join(', ')}.`
    return c.json({ detail } satisfies ErrorBody, 405, { allow: allow.join(', ') })
  }
}

/** A route that answers GET answers HEAD too. */
function allowed(methods: string[]): string[] {
  const all = methods.includes('GET') ? [...methods, 'HEAD'] : methods
  return [...new Set(all)].toSorted()
}

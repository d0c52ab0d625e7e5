/** The Studio in front of the agent server that `serve` or `dev` runs. */
import type { IncomingMessage } from 'node:http'
import { systemClock as clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { createDashboard } from '../http/dashboard/app.ts'
import { findDashboard } from '../http/dashboard/build.ts'
import { createStudio, keyOfStudio } from '../http/dashboard/studio.ts'
import { createSiteOf } from '../http/site.ts'
import type { ServeConfig } from '../settings/config.ts'

type Fetch = (request: Request, env: object) => Response | Promise<Response>

const COOKIE = /(^|;\s*)(__Host-)?runyard_studio(_\d+)?=[^;]*/g

interface Studio {
  /** Answers requests below `/studio`, and passes all others to the server. */
  inFrontOf(fetch: Fetch): Fetch
  /**
   * Replaces our cookie in a request to the server by the key that its owner has signed in with: the project's code
   * must not see the cookie, and the server only knows keys.
   */
  admit(req: IncomingMessage): void
}

export function openStudio(config: ServeConfig, { log }: { log: Log }): Studio {
  const { apiKeys: keys, publicUrl, tls } = config
  const siteOf = createSiteOf({ publicUrl: () => publicUrl ?? '', isTls: tls !== undefined })
  const pages = createDashboard({
    folder: findDashboard().folder,
    mode: 'agent-server',
    mount: '/studio',
    apiPaths: [],
    absence: () => 'missing',
  })
  const studio = createStudio({ keys, siteOf, pages, clock, log })
  return {
    inFrontOf: (fetch) => (request, env) =>
      isForStudio(request) ? studio.fetch(request, env) : fetch(request, env),
    admit(req) {
      const { cookie } = req.headers
      const isStudios = isBelow(req.url?.split('?')[0] ?? '')
      if (cookie === undefined || isStudios || cookie.search(COOKIE) === -1) return
      const key = keyOfStudio({ keys, siteOf, clock }, headersOf(req))
      replace(req, 'cookie', cookie.replace(COOKIE, '').replace(/^;\s*/, ''))
      const hasOwn = 'x-api-key' in req.headers || 'authorization' in req.headers
      if (key !== undefined && !hasOwn) replace(req, 'x-api-key', key)
    },
  }
}

/** Parses the URL only if it contains the word, which is rare. */
function isForStudio({ url }: Request): boolean {
  return url.includes('studio') && isBelow(new URL(url).pathname)
}

function isBelow(path: string): boolean {
  return path === '/studio' || path.startsWith('/studio/')
}

function headersOf({ headers }: IncomingMessage): Headers {
  const found = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && !name.startsWith(':')) found.set(name, value)
  }
  return found
}

/** In both forms of a request's headers. An empty value removes the header. */
function replace({ headers, rawHeaders }: IncomingMessage, name: string, value: string): void {
  const kept = rawHeaders.filter((_, i) => rawHeaders[i - (i % 2)]?.toLowerCase() !== name)
  if (value) kept.push(name, value)
  rawHeaders.splice(0, rawHeaders.length, ...kept)
  if (value) headers[name] = value
  else delete headers[name]
}

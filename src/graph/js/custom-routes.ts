/**
 * Serves the routes of a project's app with a Hono of ours: the project's own may be of any version. Requests that no
 * route handles go on to the API, so that the app's middleware wraps the API. The project's own `notFound` is not
 * called: `c.notFound()` in a route responds as the server does.
 */
import { type Context, type ErrorHandler, Hono, type MiddlewareHandler } from 'hono'
import { cloneRawRequest } from 'hono/request'
import type { RouterRoute } from 'hono/types'
import type { ProjectRequest, ProjectRoutes } from '../../core/agent/host/project-routes.ts'
import { AppError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { JsModule } from '../../project/module-spec.ts'
import { importExport } from './modules/loader.ts'

/** The key of the request in `c.env`: a symbol that the project's code does not know. */
const REQUEST = Symbol('request')

interface Bindings {
  [REQUEST]: ProjectRequest
  /** The connection as Hono's `getConnInfo` reads it, for the project's code. */
  incoming?: { socket: { remoteAddress: string; remotePort: number; remoteFamily: string } }
}

export function serveCustomApp(custom: CustomApp, log: Log): ProjectRoutes {
  const app = new Hono<{ Bindings: Bindings }>({
    getPath: (_, options) => options?.env?.[REQUEST].path ?? '/',
  })
  app.use((c, next) => begin(c, c.env[REQUEST], next))
  app.route('/', mountable(custom, log))
  app.use((c) => passOn(c, c.env[REQUEST]))
  app.notFound((c) => {
    const { pathname } = new URL(c.req.url)
    return c.json({ detail: `No route ${c.req.method} ${pathname}.` }, 404)
  })
  // The server handles errors that the app's error handler throws.
  app.onError((error) => {
    throw error
  })
  return {
    routes: custom.routes.map(({ method, path }) => ({ method, path })),
    handle: async (asked) => app.fetch(asked.request, bindingsOf(asked)),
  }
}

function bindingsOf(asked: ProjectRequest): Bindings {
  if (!asked.remote) return { [REQUEST]: asked }
  const { address: remoteAddress, port: remotePort, family: remoteFamily } = asked.remote
  return { [REQUEST]: asked, incoming: { socket: { remoteAddress, remotePort, remoteFamily } } }
}

/** The project's routes find the caller where the official server puts it. */
function begin(c: Context, { user, headers }: ProjectRequest, next: () => Promise<void>) {
  for (const [name, value] of headers) c.res.headers.append(name, value)
  if (user) c.set('auth', { user, scopes: user.permissions })
  return next()
}

async function passOn(c: Context, { next }: ProjectRequest): Promise<void> {
  const { answer, error } = await next(await requestOf(c), c.res.headers)
  if (error) c.error = Object.assign(new Error(error.message), { name: error.name })
  // The response already has the headers; Hono would override the response's own with them.
  c.res = undefined
  c.res = answer
}

/** A body that middleware read through Hono can be read again by the next handler. */
function requestOf({ req }: Context): Request | Promise<Request> {
  const { raw, bodyCache } = req
  return raw.bodyUsed && Object.keys(bodyCache).length > 0 ? cloneRawRequest(req) : raw
}

function mountable(custom: CustomApp, log: Log): Hono {
  const routes = custom.routes.map((route) => ({ ...route, handler: throwErrors(route.handler) }))
  const errorHandler = hasOwnErrors(custom) ? custom.errorHandler : answerFailure(log)
  return { routes, errorHandler } as unknown as Hono
}

/**
 * Hono's error handlers do not see thrown values that are no `Error`, and Hono takes a missing answer for an empty one:
 * both become failures.
 */
function throwErrors(handler: MiddlewareHandler): MiddlewareHandler {
  return async (c, next) => {
    try {
      const answer = await handler(c, next)
      if (answer === undefined && !c.finalized) throw new Error('A route answered nothing.')
      return answer
    } catch (thrown) {
      if (thrown instanceof Error) throw thrown
      throw new Error(`A route of the project threw ${JSON.stringify(thrown)}.`, { cause: thrown })
    }
  }
}

/** Whether the project set a handler with `onError`. */
function hasOwnErrors(custom: CustomApp): boolean {
  try {
    const fresh = new (custom.constructor as new () => CustomApp)()
    return fresh.errorHandler !== custom.errorHandler
  } catch {
    return true
  }
}

/** An exception that brings its own response is no fault; its class is of the project's Hono. */
function answerFailure(log: Log): CustomApp['errorHandler'] {
  return (error, c) => {
    if ('getResponse' in error) return error.getResponse()
    const { method, path } = c.req
    log.error({ err: error, method, path }, 'a route of the project failed')
    const detail = "One of the project's own routes failed; the log says more."
    return c.json({ detail }, 500)
  }
}

/**
 * The part of an app that is mounted. The project's own Hono, of any version, makes it, so it is recognized by its
 * shape.
 */
interface CustomApp {
  routes: RouterRoute[]
  errorHandler: ErrorHandler
}

/** Imports it. Throws `bad_request`, with a message that names the file and what to do. */
export async function loadCustomApp(spec: JsModule): Promise<CustomApp> {
  const { exported } = await importExport(spec, 'http.app')
  if (isApp(exported)) return exported
  throw new AppError(
    'bad_request',
    `http.app: "${spec.exportName}" of ${spec.path} is no Hono app; export a "new Hono()".`,
  )
}

function isApp(exported: unknown): exported is CustomApp {
  if (typeof exported !== 'object' || exported === null) return false
  const { routes, errorHandler, fetch } = exported as Partial<CustomApp> & {
    fetch?: unknown
  }
  return Array.isArray(routes) && typeof errorHandler === 'function' && typeof fetch === 'function'
}

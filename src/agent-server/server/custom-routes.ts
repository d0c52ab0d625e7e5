/** The project's own routes and middleware, in front of the API. */
import type { Hono, MiddlewareHandler } from 'hono'
import type { Log } from '../../core/log.ts'
import type { CustomApp } from '../../graph/js/custom-app.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { isOpen } from '../access/door.ts'

/**
 * Puts the routes of `custom` behind those that `app` has so far; what they do not answer goes on to
 * those that follow, so that its middleware stands around the API. Its `notFound` is not asked.
 */
export function mountCustomApp(app: Hono<AgentServerEnv>, custom: CustomApp, log: Log): void {
  app.use(streamWithinHono)
  const routes = custom.routes.map((route) => ({ ...route, handler: throwErrors(route.handler) }))
  const errorHandler = hasOwnErrors(custom) ? custom.errorHandler : answerFailure(log)
  app.route('/', { routes, errorHandler } as unknown as Hono)
}

/**
 * Says which routes of a project whose auth is asked before them nobody is asked for all the same: those
 * at paths that the server itself keeps open. Of its middleware nothing is known.
 */
export function warnOfOpenRoutes({ routes }: CustomApp, log: Log): void {
  const open = routes.filter((req) => isOpen({ req })).map(({ path }) => path)
  if (open.length === 0) return
  log.warn(
    { routes: [...new Set(open)] },
    'routes of the project at /ok, /info and below /ui/ answer everyone: move what is not for everyone',
  )
}

/**
 * Streams go straight to the socket where there is one, and are beyond what middleware does after
 * `next()`. Without it they are ordinary responses, whose headers the project's middleware may set.
 */
const streamWithinHono: MiddlewareHandler = async (c, next) => {
  if (c.env?.outgoing) c.env = { ...c.env, outgoing: undefined }
  await next()
}

type Handler = CustomApp['routes'][number]['handler']

/**
 * Hono lets what is no `Error` pass its error handlers, and takes no answer for an empty one: both are
 * made failures.
 */
function throwErrors(handler: Handler): Handler {
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

/** Whether the project has set one with `onError`. */
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

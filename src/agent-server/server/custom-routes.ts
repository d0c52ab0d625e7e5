/** The project's own routes and middleware, in front of the API. */
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import type { ProjectRoutes, RemoteEnd } from '../../core/agent/host/project-routes.ts'
import type { Log } from '../../core/log.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { isOpen, isSelfCheck } from '../access/door.ts'
import { announcesLength, holdToLength } from './answer-length.ts'

/**
 * Mounts the project's routes after the existing routes of `app`. Requests that they do not answer go on to
 * later routes, so that the project's middleware wraps the API.
 */
export function mountProjectRoutes(
  app: Hono<AgentServerEnv>,
  project: ProjectRoutes,
  log: Log,
): void {
  app.use(holdLengths(log))
  app.use(streamWithinHono)
  // Each route separately: the log and the metrics name the route that answered.
  for (const { method, path } of project.routes) {
    app.on(method, path, async (c, next) => {
      if (c.get('hasProjectHandled') || isSelfCheck(c)) return next()
      c.set('hasProjectHandled', true)
      await ask(project, c, next)
    })
  }
}

/**
 * Logs a warning about the project's routes at paths that the server keeps open: callers reach them without
 * credentials, although auth comes before the other routes. Middleware of the project is not checked.
 */
export function warnOfOpenRoutes({ routes }: ProjectRoutes, log: Log): void {
  const open = routes.filter((req) => isOpen({ req })).map(({ path }) => path)
  if (open.length === 0) return
  log.warn(
    { routes: [...new Set(open)] },
    'routes of the project at /ok, /info and below /ui/ answer everyone: move what is not for everyone',
  )
}

/**
 * If a socket is available, streams write to it directly, and middleware cannot change them after
 * `next()`. Without it they are ordinary responses, whose headers the project's middleware may set.
 */
const streamWithinHono: MiddlewareHandler = async (c, next) => {
  if (c.env?.outgoing) c.env = { ...c.env, outgoing: undefined }
  await next()
}

/**
 * Keeps answers of the project's code to the length that they announce; see `holdToLength`. A connection with an
 * answer of another length carries no further answer.
 */
function holdLengths(log: Log): MiddlewareHandler<AgentServerEnv> {
  return async (c, next) => {
    const connection = (c.env ?? {}) as Partial<HttpBindings>
    await next()
    if (!announcesLength(c.res) || c.req.method === 'HEAD') return
    const { method, path } = c.req
    const answer = await holdToLength(c.res, (found) => {
      log.warn(
        { method, path, ...found },
        'a route of the project sent another length than its content-length',
      )
      endAfterAnswer(connection)
    })
    c.res = undefined
    c.res = answer
  }
}

/**
 * Ends the connection before Node sends the next waiting answer. Each answer of HTTP/2 has its own stream, so its
 * connection need not end.
 */
function endAfterAnswer({ incoming, outgoing }: Partial<HttpBindings>): void {
  if (incoming?.httpVersionMajor !== 1) return
  outgoing?.prependOnceListener('finish', () => incoming.socket.destroySoon())
}

async function ask(
  project: ProjectRoutes,
  c: Context<AgentServerEnv>,
  next: () => Promise<void>,
): Promise<void> {
  const answer = await project.handle({
    request: c.req.raw,
    path: c.req.path,
    user: c.get('auth')?.user,
    remote: remoteEndOf(c),
    headers: c.res.headers,
    async next(request, headers) {
      c.req.raw = request
      replace(c.res.headers, headers)
      await next()
      const { res: answer, error } = c
      return { answer, ...(error && { error: { name: error.name, message: error.message } }) }
    },
  })
  // Reset first: Hono would overwrite headers of the answer with the earlier ones.
  c.res = undefined
  c.res = answer
}

function replace(headers: Headers, others: Headers): void {
  const entries = [...others]
  for (const name of [...headers.keys()]) headers.delete(name)
  for (const [name, value] of entries) headers.append(name, value)
}

function remoteEndOf({ env }: Context): RemoteEnd | undefined {
  const { remoteAddress, remotePort, remoteFamily } = env?.incoming?.socket ?? {}
  if (remoteAddress === undefined) return undefined
  return { address: remoteAddress, port: remotePort, family: remoteFamily }
}

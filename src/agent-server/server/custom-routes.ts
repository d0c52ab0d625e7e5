/** The project's own routes and middleware, in front of the API. */
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import type { ProjectRoutes, RemoteEnd } from '../../core/agent/host/routes.ts'
import type { Log } from '../../core/log.ts'
import type { AgentServerEnv } from '../access/caller.ts'
import { isOpen, isSelfCheck } from '../access/door.ts'
import { announcesLength, holdToLength } from './answer-length.ts'

/**
 * Puts the project's routes behind those that `app` has so far; what they do not answer goes on to those
 * that follow, so that its middleware stands around the API.
 */
export function mountProjectRoutes(
  app: Hono<AgentServerEnv>,
  project: ProjectRoutes,
  log: Log,
): void {
  app.use(holdLengths(log))
  app.use(streamWithinHono)
  // Each by itself: the log and the figures name the route that has answered.
  for (const { method, path } of project.routes) {
    app.on(method, path, async (c, next) => {
      if (c.get('hasProjectHandled') || isSelfCheck(c)) return next()
      c.set('hasProjectHandled', true)
      await ask(project, c, next)
    })
  }
}

/**
 * Says which routes of a project whose auth is asked before them nobody is asked for all the same: those
 * at paths that the server itself keeps open. Of its middleware nothing is known.
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
 * Streams go straight to the socket where there is one, and are beyond what middleware does after
 * `next()`. Without it they are ordinary responses, whose headers the project's middleware may set.
 */
const streamWithinHono: MiddlewareHandler = async (c, next) => {
  if (c.env?.outgoing) c.env = { ...c.env, outgoing: undefined }
  await next()
}

/**
 * Answers have the length that they announce, whatever the project's code says; see `holdToLength`. A connection on
 * which one had another length is used for no other answer.
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
 * Before Node goes on to an answer that waits behind it. Each answer of HTTP/2 has a stream of its own, and needs no end of the
 * connection.
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
  // Hono would put the headers that were there before over those of the answer.
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

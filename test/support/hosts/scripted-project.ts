/**
 * A project, but for the runs of its graphs, written against the ports alone: as a host in any language could
 * have it. The same project as `test/fixtures/projects/hosted`.
 */
import type { AuthUser } from '../../../src/core/agent/authorization.ts'
import type { AuthDecision, AuthQuestion, ProjectAuth } from '../../../src/core/agent/host/auth.ts'
import type { Embed } from '../../../src/core/agent/host/calls.ts'
import type { GraphDescriptions, GraphInfo } from '../../../src/core/agent/host/description.ts'
import type { GraphConfig } from '../../../src/core/agent/host/graph-host.ts'
import type { ProjectRequest, ProjectRoutes } from '../../../src/core/agent/host/project-routes.ts'
import { AppError, ProjectRefusal } from '../../../src/core/errors.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import type { Log } from '../../../src/core/log.ts'

const outer: GraphInfo = {
  graph_id: 'outer',
  description: 'Has a graph within it.',
  hasFactory: false,
  contextKeys: new Set(['tone']),
  config: { tags: ['from-the-project'] },
  context: { tone: 'kind' },
}

const made: GraphInfo = {
  graph_id: 'made',
  description: null,
  hasFactory: true,
  contextKeys: undefined,
}

const TEXT = { type: 'object', properties: { text: { type: 'string' } } }
const TONE = { type: 'object', properties: { tone: { type: 'string' } } }
const STATE = { state_schema: TEXT, input_schema: TEXT, output_schema: TEXT }

export const scriptedCatalog = {
  graphs: new Map([outer, made].map((info) => [info.graph_id, info])),
  async open(graph_id: string, { configurable }: GraphConfig): Promise<GraphDescriptions> {
    const info = this.graphs.get(graph_id)
    if (!info) throw new AppError('not_found', `There is no graph "${graph_id}".`)
    if (info.hasFactory && configurable.is_refused) throw new RangeError('not with this config')
    return {
      names: async () => ({
        nodes: ['inner'],
        channels: ['text'],
        values: ['text'],
        input: ['text'],
      }),
      schemas: async () => ({
        graph: { ...STATE, config_schema: TONE, context_schema: TONE },
        subgraphs: { inner: STATE },
      }),
      async draw(xray) {
        const nodes = xray ? ['inner:shout', 'inner:echo'] : ['inner']
        const way = ['__start__', ...nodes, '__end__']
        return {
          nodes: way.map((id) => ({ id })),
          edges: way.slice(1).map((target, index) => ({ source: way[index] as string, target })),
        }
      },
    }
  },
}

export const scriptedAuth: ProjectAuth = {
  isStudioAuthDisabled: false,
  async authenticate({ headers }) {
    const [, identity] = /^Bearer (\w+)$/.exec(headers.get('authorization') ?? '') ?? []
    if (!identity) {
      const challenge = new Headers({ 'www-authenticate': 'Bearer' })
      throw new ProjectRefusal(401, 'Who are you?', challenge)
    }
    if (identity === 'broken') throw new AppError('internal', "The project's auth failed.")
    if (identity === 'ghost') throw new AppError('unauthenticated', 'Nobody knows this one.')
    const user: AuthUser = {
      identity,
      display_name: identity,
      is_authenticated: true,
      permissions: [],
    }
    if (identity === 'guest') return user
    return { ...user, permissions: ['ask'], token: `the-token-of-${identity}` }
  },
  authorize: async (question) => decide(structuredClone(question)),
}

function decide({ user, permissions, event, value }: AuthQuestion): AuthDecision {
  const owner = { owner: user.identity }
  const { if_exists: _, metadata, ...rest } = value
  switch (`${event.resource}:${event.action}`) {
    case 'threads:create':
      return {
        filter: owner,
        value: { ...rest, metadata: { ...(metadata as JsonObject), ...owner } },
      }
    case 'threads:search':
      if (permissions.includes('ask')) return { value }
      throw new AppError('forbidden', 'You may not do this.')
    case 'threads:delete':
      throw new AppError('forbidden', 'You may not do this.')
    case 'threads:update':
      throw new ProjectRefusal(402, 'Pay first.', new Headers())
  }
  if (event.resource !== 'assistants') return { value }
  throw new AppError('internal', "The project's auth failed: that is no filter.")
}

/** Failures are told to the log. */
export function scriptedRoutes(log: Log): ProjectRoutes {
  return {
    routes: [
      { method: 'ALL', path: '/api/*' },
      { method: 'ALL', path: '/api/read' },
      { method: 'GET', path: '/hello/:name' },
      { method: 'GET', path: '/whoami' },
      { method: 'POST', path: '/echo' },
      { method: 'GET', path: '/throws' },
      { method: 'GET', path: '/missing' },
    ],
    handle: async (asked) => (asked.path.startsWith('/api/') ? around(asked) : answer(asked, log)),
  }
}

/** The middleware. */
async function around({ request, path, headers, next }: ProjectRequest): Promise<Response> {
  if (request.headers.has('x-blocked')) return new Response('Not today.', { status: 418, headers })
  const body = await request.bytes()
  if (path === '/api/read') headers.set('x-read', new TextDecoder().decode(body))
  const { url, method } = request
  const marked = new Headers(request.headers)
  marked.set('x-passed', 'yes')
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const sent = new Request(url, { method, headers: marked, ...(hasBody && { body }) })
  const { answer: passed, error } = await next(sent, headers)
  const changed = new Headers(passed.headers)
  if (error) changed.set('x-error', `${error.name}: ${error.message}`)
  changed.set('x-by', 'the project')
  changed.delete('x-request-id')
  return new Response(passed.body, { status: passed.status, headers: changed })
}

async function answer(asked: ProjectRequest, log: Log): Promise<Response> {
  const { request, path, user, remote, headers } = asked
  const json = (value: object, status = 200) => Response.json(value, { status, headers })
  if (path.startsWith('/hello/')) {
    const polite = new URL(request.url).searchParams.get('polite') ?? undefined
    return json({ hello: path.slice('/hello/'.length), polite })
  }
  switch (path) {
    case '/whoami':
      return json({ identity: user?.identity ?? null, from: remote?.address })
    case '/echo':
      return new Response(request.body, { status: 201, headers })
    case '/throws':
      log.error({ err: new RangeError('the cellar is flooded') }, 'a route of the project failed')
      return json({ detail: 'A route failed; the log says more.' }, 500)
    case '/missing':
      return json({ detail: `No route GET ${new URL(request.url).pathname}.` }, 404)
    default:
      return (await asked.next(request, headers)).answer
  }
}

export const scriptedEmbed: Embed = async (texts) => {
  if (texts.includes('broken')) throw new AppError('unavailable', 'Failed: the model is away.')
  if (texts.includes('short')) throw new AppError('bad_request', 'That is no vector of 2 numbers.')
  return texts.map((text) => ['a', 'b'].map((letter) => text.split(letter).length - 1))
}

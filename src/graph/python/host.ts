/**
 * The graph host for Python: the project's graphs, in child processes, behind the port. `hosts/python/PROTOCOL.md`
 * describes the connection between them and this process.
 */
import type { AuthUser } from '../../core/agent/authorization.ts'
import type { AuthDecision, AuthQuestion, ProjectAuth } from '../../core/agent/host/auth.ts'
import type { Embed, HostCalls } from '../../core/agent/host/calls.ts'
import type { GraphInfo } from '../../core/agent/host/description.ts'
import type { GraphHost, GraphRuntime } from '../../core/agent/host/graph-host.ts'
import { AppError, HostLost } from '../../core/errors.ts'
import { withPlainNumbers } from '../../core/exact-json.ts'
import type { Log } from '../../core/log.ts'
import { Bindings, Callbacks } from './callbacks.ts'
import { WithBytes } from './frames.ts'
import { wireRequest } from './http.ts'
import { type Opened, OpenedGraph, type OpenRequest } from './opened-graph.ts'
import type { Peer } from './peer.ts'
import type { Program } from './process.ts'
import { Processes } from './processes.ts'
import { PythonRoutes } from './python-routes.ts'

interface PythonHostOptions {
  program: Program
  /** How many processes run graphs, side by side. */
  processes: number
  logLevel: string
  /** Called with each step of the start of its first process. */
  onStep?(doing: string): Promise<void>
  log: Log
}

interface PythonHost {
  host: GraphHost
  /** Ends its processes; the project's own lifespan may take `graceMs` to end, 5,000 by default. */
  stop(graceMs?: number): Promise<void>
}

/** The host's answer to `start`. */
interface Started {
  runtime: GraphRuntime
  graphs: (Omit<GraphInfo, 'contextKeys'> & { contextKeys?: string[] })[]
  auth?: WireAuth
  routes?: { method: string; path: string }[]
  embeds: boolean
}

/** How long the project's own lifespan may take to end, in ms. */
const STOP_MS = 5_000

/** Starts the processes and loads the project. Throws `bad_request`, with a message for people. */
export async function openPythonHost(options: PythonHostOptions): Promise<PythonHost> {
  const { program, processes: count, logLevel, onStep, log } = options
  const bindings = new Bindings()
  let server: HostCalls | undefined
  let routes: PythonRoutes | undefined
  const callbacks = new Callbacks({
    bindings,
    server: () => server,
    passOn: (of) => routes?.takePassOn(of),
  })
  const processes = new Processes(program, {
    count,
    logLevel,
    onCall: (call) => callbacks.answer(call),
    onNote: (method, params) => callbacks.note(method, params),
    onStep: (doing) => void onStep?.(doing),
    log,
  })
  const stop = (graceMs = STOP_MS) => processes.stop(graceMs)
  try {
    const started = (await processes.start()) as Started
    const first = async () => (await processes.first()).peer
    if (started.routes) routes = new PythonRoutes({ routes: started.routes, peer: first, log })
    const connect = (calls: HostCalls) => {
      server = calls
      return () => {
        if (server === calls) server = undefined
      }
    }
    const host = { ...describe(started, first), ...(routes && { routes }), connect }
    const open = opener(processes, bindings, host.graphs)
    return { host: { ...host, open }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function describe({ runtime, graphs, auth, embeds }: Started, first: () => Promise<Peer>) {
  const ask = askAgain(first)
  return {
    runtimes: [runtime],
    graphs: new Map(graphs.map((info) => [info.graph_id, infoOf(info)])),
    ...(auth && { auth: pythonAuth(auth, ask) }),
    ...(embeds && { embed: embedBy(ask) }),
  }
}

function embedBy(ask: Ask): Embed {
  return async (texts) => withPlainNumbers((await ask('embed', { texts })) as number[][])
}

function infoOf({ contextKeys, ...info }: Started['graphs'][number]): GraphInfo {
  return { ...info, contextKeys: contextKeys && new Set(contextKeys) }
}

type Ask = (method: string, params: Record<string, unknown> | WithBytes) => Promise<unknown>

/** Calls the process; calls the next one if it ends meanwhile. */
function askAgain(find: () => Promise<Peer>): Ask {
  return async (method, params) => {
    try {
      return await (await find()).call(method, params)
    } catch (error) {
      if (!(error instanceof HostLost)) throw error
      return (await find()).call(method, params)
    }
  }
}

/** Opens graphs, and has the host close those that are no longer referenced. */
function opener(
  processes: Processes,
  bindings: Bindings,
  graphs: GraphHost['graphs'],
): GraphHost['open'] {
  const unheld = new FinalizationRegistry<() => void>((close) => close())
  const openIn = async ({ graph_id, config, checkpoints }: OpenRequest, isPatient: boolean) => {
    const { peer } = await processes.leastBusy()
    const of = checkpoints && bindings.add({ checkpoints })
    const close = () => {
      if (of !== undefined) bindings.remove(of)
    }
    try {
      const params = { graph_id, config, checkpoints: of }
      const closeThere = (answer: unknown) => peer.note('close', answer as { graph: number })
      const answer = await peer.call('open', params, { isPatient, onLate: closeThere })
      const closeAll = () => {
        close()
        closeThere(answer)
      }
      return { opened: { peer, graph: answer as { graph: number } }, close: closeAll }
    } catch (error) {
      close()
      throw error
    }
  }
  return async (graph_id, config, checkpoints) => {
    const info = graphs.get(graph_id)
    if (!info) throw new AppError('not_found', `The project has no graph "${graph_id}".`)
    if (!info.hasFactory && !checkpoints) {
      // No factory: the host makes nothing ready, and keeps nothing.
      const find = async (): Promise<Opened> => {
        const { peer } = await processes.leastBusy()
        return { peer, graph: { graph_id, config } }
      }
      return new OpenedGraph({ opened: await find(), reopen: find, bindings })
    }
    const request = { graph_id, config, ...(checkpoints && { checkpoints }) }
    // The factory may block the host: a run that gave it up would be handed back, and call it again forever.
    const isPatient = config.context !== undefined && info.hasFactory
    const { opened, close } = await openIn(request, isPatient).catch((error) => {
      // The factory may have ended the process.
      if (error instanceof HostLost && !info.hasFactory) return openIn(request, isPatient)
      throw error
    })
    const closes = [close]
    const reopen = async () => {
      const again = await openIn(request, isPatient)
      closes.push(again.close)
      return again.opened
    }
    const graph = new OpenedGraph({ opened, reopen, bindings })
    unheld.register(graph, () => {
      for (const one of closes) one()
    })
    return graph
  }
}

// The `auth` of a project in Python.

interface WireAuth {
  is_studio_auth_disabled: boolean
  /** Whether `authenticate` reads bodies. */
  wants_body: boolean
}

function pythonAuth(told: WireAuth, ask: Ask): ProjectAuth {
  return {
    isStudioAuthDisabled: told.is_studio_auth_disabled,
    wantsBody: told.wants_body,
    async authenticate(request) {
      const asked = { request: wireRequest(request) }
      const body = told.wants_body && request.body ? [await request.bytes()] : []
      return (await ask('auth.authenticate', new WithBytes(asked, body))) as AuthUser
    },
    async authorize(question: AuthQuestion) {
      return (await ask('auth.authorize', { ...question })) as AuthDecision
    },
  }
}

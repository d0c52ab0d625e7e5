/**
 * The one address in front of everything. It passes requests below `/agents/` to agent servers, and all
 * others to the control plane.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'
import type { PassedRequest } from '../core/agent/server/metrics.ts'
import type { Authenticate, TargetTable } from '../core/deployment/target.ts'
import { AppError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import type { CorsConfig } from '../core/network/cors.ts'
import type { Certificate } from '../core/network/tls.ts'
import { isAllowed, type Principal } from '../core/people/api-key.ts'
import type { HeaderReader } from '../core/people/sent-key.ts'
import { noTracer, type Tracer, validTraceparent } from '../core/tracing.ts'
import { close, listen } from '../http/listen.ts'
import { keyHeadersOf } from './caller-keys.ts'
import { destroyClient, type Handshake } from './exchange.ts'
import type { Name } from './name.ts'
import { forward, isGlance, type Passage } from './proxy.ts'
import { answerForSleeper, asRefusal, refuse } from './refusal.ts'
import { isRelayed, Relay, type RelayedRequest } from './relay.ts'
import { bodyOf, checkBodySize, hasBody } from './request-body.ts'
import {
  type AgentRoute,
  HostNames,
  isOfOperators,
  isOpen,
  noDeployment,
  parseAgentRoute,
  rootRoute,
  subdomainOf,
} from './route.ts'
import type { Certificates } from './server/http2.ts'
import { createGatewayServer } from './server/server.ts'
import { hasOtherCookies, refuseCode } from './shared-origin.ts'
import { Targets } from './target-table.ts'
import { checkUpgrade, responseOn } from './websocket.ts'

const DEFAULT_MAX_BODY_BYTES = 256 * 1024 * 1024
const DEFAULT_RESTART_WAIT_MS = 10_000

export interface GatewayOptions {
  authenticate: Authenticate
  /**
   * Whether `authenticate` checks keys and hides them from agents. `false`: the server behind the gateway checks them.
   * Default: true.
   */
  isKeyChecked?: boolean
  /** The table of its targets. Default: its own. */
  targets?: Targets
  /**
   * Handles every request that is not below `/agents/`. A string: the name of the only deployment, which answers at the
   * root.
   */
  fallback: ((req: IncomingMessage, res: ServerResponse) => void) | string
  /** The base domain: a deployment also answers at the root of `<name>.<domain>`. In lower case. */
  domain?: string | undefined
  /** The hosts at whose root deployments answer. Default: none. */
  hosts?: HostNames
  log: Log
  /**
   * The largest request body for an agent, in bytes; 256 MiB by default. The control plane limits its
   * uploads itself.
   */
  maxBodyBytes?: number
  /** How long a request waits for an agent server that is being restarted; 10,000 ms by default. */
  restartWaitMs?: number
  /**
   * Called at each request. `undefined`, the default: this Runyard leads. Otherwise another one leads, and everything
   * is relayed to its `url`. Without a `url` its address is unknown: requests to agents get 503, and all others are
   * handled here.
   */
  leader?: () => { url: string | undefined } | undefined
  /** Called once for each request to an existing deployment, when its response is complete. */
  onPassed?: (request: PassedRequest) => void
  /** Makes a span for each request to an agent, around the agent server's own. Default: none. */
  tracer?: Tracer
}

/** Where and how it listens: with TLS if `certificate` is given; `certificates` are for single hosts. */
interface Listening {
  host: string
  port: number
  certificate?: Certificate | undefined
  certificates?: Certificates | undefined
}

export class Gateway {
  readonly #options: GatewayOptions
  readonly #hosts: HostNames
  readonly #relay = new Relay()
  readonly #table: Targets
  #server: Server | undefined

  constructor(options: GatewayOptions) {
    this.#options = options
    this.#table = options.targets ?? new Targets()
    this.#hosts = options.hosts ?? new HostNames({ domain: options.domain })
  }

  /** The table in which the control plane sets the places of agents. */
  get targets(): TargetTable {
    return this.#table
  }

  /** Returns its URL, without a path. Throws `bad_request` when it cannot listen there. */
  async start({ certificate, certificates, ...at }: Listening): Promise<string> {
    this.#server = createGatewayServer(this, certificate, certificates)
    return listen(this.#server, at)
  }

  /** For new connections, in place of the certificate of the start. */
  setSecureContext(certificate: Certificate): void {
    if (this.#server instanceof TlsServer) this.#server.setSecureContext(certificate)
  }

  /** The listener for `request` and `checkContinue`. Clients that expect `100 Continue` get it. */
  handleRequest(req: IncomingMessage, res: ServerResponse): void {
    this.#answer(req, res).catch((error: unknown) => this.#refuse(req, res, error))
  }

  /** The listener for `upgrade`. A refused handshake gets an HTTP response. */
  handleUpgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const client = socket as Socket
    const res = responseOn(req, client)
    const detach = () => res.detachSocket(client)
    this.#upgrade(req, res, { socket: client, head, detach }).catch((error: unknown) =>
      this.#refuse(req, res, error),
    )
  }

  /** This Runyard leads now: cuts the requests relayed to the previous leader. */
  takeOver(): void {
    this.#relay.cut()
  }

  /** Another Runyard leads now: cuts open requests and forgets every name. */
  yield(): void {
    this.#table.clear()
  }

  /** Takes no new connection, and cuts every open request and WebSocket. From then on it has no targets. */
  async stop(): Promise<void> {
    const closed = this.#server && close(this.#server)
    this.#relay.cut()
    this.#table.stop()
    await closed
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (this.#options.leader?.() && (await this.#isPassedOn({ req, res }))) return
    const route = this.#routeOf(req)
    if (!route) return this.#fallBack(req, res)
    await this.#answerAgent(req, res, route)
  }

  async #answerAgent(req: IncomingMessage, res: ServerResponse, route: AgentRoute): Promise<void> {
    if (route.prefix !== '') refuseCode(req)
    this.#requireLead()
    const isFree = isOpen(req, route)
    if (isFree && (await this.#isAnsweredAsleep(req, res, route))) return
    const admitted = isFree ? this.#withKeys(OPEN, req) : await this.#admit(req, route)
    this.#observe(route.name, req, res)
    const { maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = this.#options
    checkBodySize(req, maxBodyBytes)
    if (res.closed) return
    this.#table.find(route.name).requireNotPaused()
    let body: Passage['body']
    if (hasBody(req)) {
      if (req.headers.expect !== undefined) res.writeContinue()
      body = await bodyOf(req, maxBodyBytes)
      if (!body || res.closed) return
    }
    await this.#forward({ route, req, res, body, ...admitted })
  }

  /** Answers a request that needs no key without waking the deployment. `false`: it did not. */
  async #isAnsweredAsleep(
    req: IncomingMessage,
    res: ServerResponse,
    route: AgentRoute,
  ): Promise<boolean> {
    const name = this.#table.find(route.name)
    if (!name.isAsleep) return false
    const isCaller = await this.#isCaller(req, route)
    return !isCaller && answerForSleeper(req, res, { route, name })
  }

  /** Whether the request's key may call the deployment. */
  async #isCaller(req: IncomingMessage, route: AgentRoute): Promise<boolean> {
    try {
      return (await this.#admit(req, route)).caller !== undefined
    } catch {
      return false
    }
  }

  /** Throws if there is no such deployment: otherwise clients could fill the metrics with made-up names. */
  #observe(deployment: string, req: IncomingMessage, res: ServerResponse): void {
    this.#table.find(deployment)
    const begun = performance.now()
    res.on('close', () => {
      const seconds = (performance.now() - begun) / 1000
      this.#options.onPassed?.({
        ...{ deployment, status: res.statusCode, seconds },
        isGlance: isGlance(req),
      })
    })
  }

  async #upgrade(req: IncomingMessage, res: ServerResponse, upgrade: Handshake): Promise<void> {
    if (await this.#isPassedOn({ req, res, upgrade })) return
    const route = this.#routeOf(req)
    this.#requireLead()
    if (!route) throw new AppError('not_found', 'WebSockets are served below /agents/ only.')
    const admitted = await this.#admit(req, route)
    checkUpgrade(req)
    if (!res.closed) await this.#forward({ route, req, res, body: undefined, upgrade, ...admitted })
  }

  async #isPassedOn(request: RelayedRequest): Promise<boolean> {
    const url = this.#options.leader?.()?.url
    if (url === undefined || isRelayed(request.req)) return false
    return this.#relay.pass(request, url)
  }

  /** Only the leader knows where agents run. */
  #requireLead(): void {
    if (!this.#options.leader?.()) return
    const hint = 'Another one takes over within seconds; try again.'
    throw new AppError('unavailable', `The control plane that leads cannot be reached. ${hint}`)
  }

  #routeOf(req: IncomingMessage): AgentRoute | undefined {
    const target = req.url ?? '/'
    const { fallback, domain } = this.#options
    if (typeof fallback === 'string') return rootRoute(target, fallback)
    const own = this.#hosts.deploymentAt(req.headers.host)
    if (own !== undefined) return rootRoute(target, own)
    const label = domain && subdomainOf(req.headers.host, domain)
    if (label === undefined || label === '') return parseAgentRoute(target)
    return rootRoute(target, this.#table.nameOfHost(label) ?? label)
  }

  /** In a span that covers everything the request waits for. */
  #forward(passage: Passage): Promise<void> {
    const { req, res, route } = passage
    const options = {
      targets: this.#table,
      restartWaitMs: this.#options.restartWaitMs ?? DEFAULT_RESTART_WAIT_MS,
      isSharedDomain: (domain: string) => this.#hosts.isShared(domain, req.headers.host),
      log: this.#options.log,
    }
    const { tracer = noTracer } = this.#options
    if (tracer === noTracer) return forward(passage, options)
    const [path = '/'] = route.path.split('?')
    const { method = 'GET' } = req
    const attributes = { deployment: route.name, 'http.request.method': method, 'url.path': path }
    const parent = validTraceparent(req.headers.traceparent)
    return tracer.span(
      { name: `${method} /agents/${route.name}`, kind: 'server', parent, attributes },
      async (span) => {
        await forward({ ...passage, traceparent: span.traceparent }, options)
        span.set({ 'http.response.status_code': res.statusCode })
        if (res.statusCode >= 500) span.fail(`answered ${res.statusCode}`)
      },
    )
  }

  #fallBack(req: IncomingMessage, res: ServerResponse): void {
    if (req.headers.expect !== undefined) res.writeContinue()
    const { fallback } = this.#options
    if (typeof fallback === 'function') fallback(req, res)
  }

  /**
   * Checks who may call the deployment. A deployment of another workspace is refused as if it did not
   * exist.
   *
   * `isUnchecked`: the project's own auth decides, or the deployment is public. While it is unknown whether the project
   * has one, requests with any credentials wait for the first agent server, which reports it. A request that claims to
   * be from Studio always needs a key, since agent servers trust that claim from every admitted caller.
   */
  async #admit(req: IncomingMessage, route: AgentRoute): Promise<Admitted> {
    const name = this.#table.find(route.name)
    const isStudio = req.headers['x-auth-scheme'] !== undefined
    if (name.hasOwnAuth && !isStudio) return this.#withKeys(UNCHECKED, req)
    if (name.isPublic && !isStudio) {
      const isOperators = isOfOperators(route) && hasCredentials(req)
      return isOperators ? this.#admitOperator(req, name) : this.#admitAnyone(req)
    }
    const principal = await this.#options
      .authenticate(keyHeaders(req))
      .catch((refusal: unknown) => {
        const isUndecided = name.hasOwnAuth === undefined && !isStudio
        if (isUndecided && hasCredentials(req)) return undefined
        throw refusal
      })
    return principal ? this.#withKeys(admitted(principal, name), req) : UNCHECKED
  }

  /**
   * Admits a caller to a public deployment. Its project may check its own keys, so a key that is unknown here goes on.
   */
  async #admitAnyone(req: IncomingMessage): Promise<Admitted> {
    if (keyHeadersOf(req).size === 0) return UNCHECKED
    try {
      await this.#options.authenticate(keyHeaders(req))
    } catch (refusal) {
      if (refusal instanceof AppError && refusal.code === 'unauthenticated') return UNCHECKED
    }
    return this.#withKeys(UNCHECKED, req)
  }

  /**
   * Admits a caller to the operators' part of a public deployment. Its agent server refuses callers with unknown keys.
   */
  async #admitOperator(req: IncomingMessage, name: Name): Promise<Admitted> {
    try {
      return this.#withKeys(admitted(await this.#options.authenticate(keyHeaders(req)), name), req)
    } catch (refusal) {
      if (!(refusal instanceof AppError) || refusal.code === 'unavailable') throw refusal
      return this.#admitAnyone(req)
    }
  }

  /** The same admission, with the headers that hold the key. */
  #withKeys(admission: Admitted, req: IncomingMessage): Admitted {
    return this.#options.isKeyChecked !== false
      ? { ...admission, keyHeaders: keyHeadersOf(req) }
      : admission
  }

  #refuse(req: IncomingMessage, res: ServerResponse, error: unknown): void {
    const refusal = asRefusal(error, this.#options.log)
    if (res.headersSent) return void destroyClient({ req, res })
    if (res.closed) return
    try {
      refuse(req, res, refusal, this.#corsOf(req))
    } catch (cause) {
      // A project's CORS settings may make an invalid header. That must not affect others.
      this.#options.log.error({ err: cause }, 'a refusal could not be sent')
      res.destroy()
    }
  }

  /** Pages of any origin may read the 404 for an unknown deployment. */
  #corsOf(req: IncomingMessage): CorsConfig {
    try {
      const route = this.#routeOf(req)
      return route ? this.#table.find(route.name).cors : {}
    } catch {
      return {}
    }
  }
}

type Admitted = Pick<Passage, 'caller' | 'role' | 'isUnchecked' | 'keyHeaders'>

const OPEN: Admitted = {}
const UNCHECKED: Admitted = { isUnchecked: true }

/** Throws `not_found` for a key of another workspace, `forbidden` for a role that may not even look at agents. */
function admitted({ workspace_id, role, user_id }: Principal, name: Name): Admitted {
  if (workspace_id !== name.state?.workspace_id) throw noDeployment(name.name)
  if (isAllowed(role, 'look_at_agents')) return { caller: user_id, role }
  throw new AppError('forbidden', `The role "${role}" may not call agents.`)
}

/** Whether the request has credentials that a project's own auth may know. */
function hasCredentials({ headers }: IncomingMessage): boolean {
  const { authorization, cookie } = headers
  return Boolean(authorization ?? headers['x-api-key']) || hasOtherCookies(cookie)
}

/** Reads single headers as `Headers` does, without making one for each request. */
function keyHeaders({ headers }: IncomingMessage): HeaderReader {
  return {
    get(name) {
      const value = headers[name]
      return typeof value === 'string' ? value : null
    },
    has: (name) => typeof headers[name] === 'string',
  }
}

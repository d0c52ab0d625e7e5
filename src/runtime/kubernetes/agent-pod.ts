/** One pod of a revision and its agent server, as the cluster and the agent server report it. */
import { setTimeout as delay } from 'node:timers/promises'
import type { V1Pod } from '@kubernetes/client-node'
import { logMark, notedLine } from '../../core/deployment/log-source.ts'
import type { Endpoint, Load, Replica } from '../../core/deployment/runtime.ts'
import type { ReadyMessage, StartMessage } from '../../core/deployment/runtime-protocol.ts'
import type { ServerReading } from '../../core/figures/reading.ts'
import { type Conversation, converse, endpointOf } from '../link/conversation.ts'
import { SocketLink } from '../link/socket-link.ts'
import { stepFor } from '../link/start-step.ts'
import { stepIn } from '../replicas/late-start.ts'
import type { Cluster } from './cluster.ts'
import { ANNOTATION } from './objects/names.ts'
import { AGENT, PORT } from './objects/pod.ts'
import { followPodLog, lastLinesOf } from './pod-log.ts'
import { agentStatus, type PodState, readPod } from './pod-state.ts'

interface AgentPodOptions {
  cluster: Cluster
  start: StartMessage
  /** Whether the agent server takes part in the link. */
  isLinked: boolean
  /** Output before this time has been read already; RFC 3339. */
  logSince: string | undefined
  onLine(line: string): void
  /** Receives its last counts when it ends. */
  onLast(reading: ServerReading): void
  /** Called when the agent server says something that its state depends on. */
  onChange(): void
  /** Called when it is connected, also after a restart. */
  onReady(conversation: Conversation): void
  /** In ms since 1970. */
  now(): number
}

/** The connection to one start of the agent server. */
interface Session {
  containerId: string
  link: SocketLink
  conversation: Conversation
  end(): void
}

/** The least time for an agent server to hand its runs on and end, in ms. */
const LEAST_END_MS = 10_000
/** Time for a drained agent server to bring its runs to a checkpoint and to end, in ms. */
const END_MS = 25_000
/** How long a replaced pod keeps answering new requests, in ms: a gateway may just have chosen it. */
const RELEASE_MS = 1_000
/** Longer than a gateway takes to choose another pod, in ms. */
const LINGER_MARGIN_MS = 2_000

export class AgentPod {
  readonly #options: AgentPodOptions
  readonly #closing = new AbortController()
  #pod: V1Pod
  #session: Session | undefined
  /** What it reported of its end before it was restarted. */
  #said: string | undefined
  #ready: ReadyMessage | undefined
  #load: Load | null = null
  #followed: string | undefined
  /** The step of its start that its log named last. */
  #logged: { doing: string; since: number } | undefined
  #since: number
  #lastState: string | undefined
  /** The last lines of the container that ended, by its id. */
  #tail: { id: string; lines: string[] } | undefined
  /** It is to end, and is no endpoint any more. */
  isRetired: boolean
  /** Another pod answers in its place, or none is to: it need not wait for that before it ends. */
  #isReleased = false
  /** How long open requests may go on once it was replaced. */
  #drainMs: number | undefined
  /** Limits how long it still answers once others than the driver end it. */
  #lingering: NodeJS.Timeout | undefined
  #hasLingered = false

  constructor(pod: V1Pod, options: AgentPodOptions) {
    this.#options = options
    this.#pod = pod
    this.#since = options.now()
    this.isRetired = ANNOTATION.retired in (pod.metadata?.annotations ?? {})
    this.update(pod)
  }

  get name(): string {
    return this.#pod.metadata?.name ?? ''
  }

  get namespace(): string {
    return this.#pod.metadata?.namespace ?? ''
  }

  /** In the order of their start. */
  get order(): string {
    const created = this.#pod.metadata?.creationTimestamp
    return `${created ? new Date(created).toISOString() : ''} ${this.name}`
  }

  get state(): PodState {
    return readPod(this.#pod)
  }

  get restarts(): number {
    const counted = agentStatus(this.#pod)?.restartCount ?? 0
    const isWaitingForNext = agentStatus(this.#pod)?.state?.running === undefined
    return this.state.kind === 'down' && isWaitingForNext ? counted + 1 : counted
  }

  /** Where the gateway reaches it; `undefined`: it does not answer, or must not be asked. */
  get endpoint(): Endpoint | undefined {
    const { podIP } = this.#pod.status ?? {}
    const { state } = this
    if (this.isRetired || !podIP) return undefined
    if (state.kind !== 'ready' && !this.isLingering) return undefined
    // The kubelet may be away while the agent server is not: an open link shows that.
    const isUnheard = state.kind === 'ending' || (state.kind === 'ready' && state.isUnheard)
    if (isUnheard && !this.#session?.link.isOpen) return undefined
    const { start, isLinked } = this.#options
    const url = urlOf(podIP)
    if (!isLinked) return { url, token: start.gatewayToken }
    return this.#ready && endpointOf(this.#ready, start.gatewayToken, url)
  }

  get conversation(): Conversation | undefined {
    return this.#session?.conversation
  }

  /** Others than the driver end it, e.g. to drain its node, and it goes on as before until it is released. */
  get isLingering(): boolean {
    const isOver = this.#isReleased || this.#hasLingered || this.isRetired
    return this.state.kind === 'ending' && !isOver && this.#lingerMs > 0
  }

  /** In ms; 0: it ends as soon as it is asked to. */
  get #lingerMs(): number {
    const { lingerMs = 0 } = this.#options.start
    const { deletionGracePeriodSeconds = 0 } = this.#pod.metadata ?? {}
    // A shorter grace period leaves no time to wait: its runs have to be handed on.
    const mayWait = deletionGracePeriodSeconds * 1000 >= lingerMs + LEAST_END_MS
    return mayWait && this.#options.isLinked ? lingerMs : 0
  }

  /**
   * From now on it is no endpoint while it ends; open requests go on for `drainMs` at most. Callers that have just
   * chosen it still reach it.
   */
  replace(drainMs: number): void {
    if (this.#isReleased) return
    this.#isReleased = true
    clearTimeout(this.#lingering)
    const { signal } = this.#closing
    delay(RELEASE_MS, undefined, { ref: false, signal }).then(
      () => {
        this.#drainMs = Math.min(drainMs, this.#leftMs)
        this.#session?.conversation.release(this.#drainMs)
      },
      () => {},
    )
  }

  /** Lets it end as soon as it is asked to, whatever is open there. */
  release(): void {
    this.#isReleased = true
    this.#drainMs = undefined
    clearTimeout(this.#lingering)
    this.#session?.conversation.release()
  }

  /** How long open requests may go on until the cluster kills it, in ms. */
  get #leftMs(): number {
    const { deletionTimestamp } = this.#pod.metadata ?? {}
    if (!deletionTimestamp) return 0
    const killedAt = new Date(deletionTimestamp).getTime()
    return Math.max(0, killedAt - this.#options.now() - END_MS)
  }

  /** The step of its start and since when; `undefined`: it reports none. */
  get doing(): string | undefined {
    const { doing } = this.#session?.conversation ?? {}
    return doing ?? (this.#logged && stepFor(this.#logged.doing, this.#logged.since))
  }

  /** Its own reason for not starting; `undefined`: it reported none. */
  get failure(): string | undefined {
    return this.#session?.conversation.failure ?? this.#said
  }

  get replica(): Replica {
    const { state, endpoint } = this
    const kind = endpoint ? 'healthy' : state.kind === 'down' ? 'restarting' : 'starting'
    const { restarts } = this
    const reason = this.#reason ?? null
    return { state: kind, since: this.#since, restarts, reason, load: this.#load }
  }

  get #reason(): string | undefined {
    const { state, doing } = this
    if (state.kind === 'down' || state.kind === 'impossible') return state.reason
    if (state.kind !== 'starting') return undefined
    return doing === undefined ? state.note : `It ${doing}.`
  }

  update(pod: V1Pod): void {
    this.#pod = pod
    this.#followLog()
    this.#connect()
    this.#linger()
    const now = this.replica.state
    if (now !== this.#lastState) this.#since = this.#options.now()
    this.#lastState = now
  }

  /** The last lines of the container in the pod's state; requested once. */
  async lastLines(state: Extract<PodState, { kind: 'down' }>): Promise<string[]> {
    const { container, isPrevious } = state
    const id = `${container} ${this.restarts}`
    if (this.#tail?.id !== id) {
      const { namespace, name: pod } = this
      const ref = { namespace, pod, container }
      const ended = { isPrevious, isFirst: this.restarts <= 1 }
      const lines = await lastLinesOf(this.#options.cluster, ref, ended)
      this.#tail = { id, lines: lines.map((line) => this.#noted(line)) }
    }
    return this.#tail.lines
  }

  /** Stops listening to it. */
  close(): void {
    this.#closing.abort()
    clearTimeout(this.#lingering)
    this.#endSession()
  }

  /** It ends by itself when its time is over: the gateway must not choose it a moment before. */
  #linger(): void {
    if (this.#lingering || !this.isLingering) return
    const expire = () => {
      this.#hasLingered = true
      this.#options.onChange()
    }
    this.#lingering = setTimeout(expire, Math.max(0, this.#lingerMs - LINGER_MARGIN_MS)).unref()
  }

  #connect(): void {
    const running = agentStatus(this.#pod)
    const { podIP, phase } = this.#pod.status ?? {}
    const isThere = running?.state?.running && podIP && phase !== 'Failed'
    const containerId = isThere ? running.containerID : undefined
    if (containerId === this.#session?.containerId) return
    // Its last message is kept until it is restarted: it may be why it ended.
    if (!containerId && this.#session) {
      this.#session.end()
      return
    }
    this.#endSession()
    if (containerId && podIP && this.#options.isLinked) this.#open(containerId, urlOf(podIP))
  }

  #open(containerId: string, url: string): void {
    const { start, onReady, onChange, onLast } = this.#options
    // If the node is silent, only the link shows whether the pod runs.
    const onConnection = () => {
      const { state } = this
      if (state.kind === 'ending' || (state.kind === 'ready' && state.isUnheard)) onChange()
    }
    const link = new SocketLink({ url, token: start.gatewayToken, onConnection })
    const exited = Promise.withResolvers<void>()
    const conversation = converse(link, {
      exited: exited.promise,
      onSources: () => {},
      onLoad: (load) => {
        this.#load = load
      },
      onLast: (reading) => onLast({ ...reading, url }),
    })
    const end = () => {
      link.close()
      this.#ready = undefined
      this.#load = null
      exited.resolve()
    }
    this.#session = { containerId, link, conversation, end }
    if (this.#isReleased) conversation.release(this.#drainMs)
    void conversation.ready.then((ready) => {
      if (this.#session?.containerId !== containerId || this.#closing.signal.aborted) return
      this.#ready = ready
      this.#said = undefined
      onReady(conversation)
      onChange()
    })
  }

  #endSession(): void {
    this.#said = this.failure
    this.#session?.end()
    this.#session = undefined
  }

  #takeLine(printed: string): void {
    const line = this.#noted(printed)
    const doing = stepIn(line)
    if (doing !== undefined) this.#logged = { doing, since: performance.now() }
    this.#options.onLine(line)
  }

  #noted(line: string): string {
    return notedLine(line, logMark(this.#options.start.gatewayToken))
  }

  #followLog(): void {
    const id = agentStatus(this.#pod)?.containerID
    if (!id || id === this.#followed) return
    const isFirst = this.#followed === undefined
    this.#followed = id
    const { cluster, logSince } = this.#options
    const onLine = (line: string) => this.#takeLine(line)
    const { namespace, name: pod } = this
    const isRunning = () => {
      const status = agentStatus(this.#pod)
      return status?.containerID === id && status.state?.running !== undefined
    }
    void followPodLog({
      ...{ cluster, onLine, isRunning, signal: this.#closing.signal },
      ref: { namespace, pod, container: AGENT },
      since: isFirst ? logSince : undefined,
    })
  }
}

function urlOf(podIP: string): string {
  return `http://${podIP.includes(':') ? `[${podIP}]` : podIP}:${PORT}`
}

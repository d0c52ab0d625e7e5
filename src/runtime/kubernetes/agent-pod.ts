/** One pod of a revision and its agent server, as the cluster and the agent server report it. */
import { setTimeout as delay } from 'node:timers/promises'
import type { V1Pod } from '@kubernetes/client-node'
import { logMark } from '../../core/deployment/log-source.ts'
import type { Endpoint, Replica } from '../../core/deployment/runtime.ts'
import type { ServerReading } from '../../core/figures/reading.ts'
import { type Conversation, endpointOf } from '../../link/conversation.ts'
import type { StartMessage } from '../../link/messages.ts'
import { AgentSession } from './agent-session.ts'
import type { Cluster, ObjectRef } from './cluster.ts'
import { ANNOTATION } from './objects/names.ts'
import { AGENT, PORT } from './objects/pod.ts'
import type { ObservedPod } from './observed-revision.ts'
import { PodOutput } from './pod-log.ts'
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
  readonly #session: AgentSession
  readonly #output: PodOutput
  #pod: V1Pod
  #since: number
  #lastState: string | undefined
  /** When it was first seen being deleted, in ms since 1970. */
  #endingSince: number | undefined
  #released: ObservedPod['released'] = 'not'
  /** Until it is `none`, the pod is an endpoint when it answers. */
  retirement: ObservedPod['retirement'] = 'none'
  /** See `ObservedPod`. */
  deletedWithin: number | undefined

  constructor(pod: V1Pod, options: AgentPodOptions) {
    const { cluster, start, logSince: since, onLine, onLast, onReady, onChange } = options
    this.#options = options
    this.#pod = pod
    this.#since = options.now()
    const { signal } = this.#closing
    const mark = logMark(start.gatewayToken)
    const ref = { namespace: this.namespace, pod: this.name, container: AGENT }
    this.#output = new PodOutput(ref, { cluster, since, mark, onLine, signal })
    this.#session = new AgentSession({
      ...{ token: start.gatewayToken, onLast },
      // If the node is silent, only the link shows whether the pod runs.
      onConnection: () => this.#needsLink && onChange(),
      onReady: (conversation) => {
        onReady(conversation)
        onChange()
      },
    })
    if (ANNOTATION.retired in (pod.metadata?.annotations ?? {})) this.endRetirement()
    this.update(pod)
  }

  get name(): string {
    return this.#pod.metadata?.name ?? ''
  }

  get namespace(): string {
    return this.#pod.metadata?.namespace ?? ''
  }

  get ref(): ObjectRef {
    const { name, namespace } = this
    return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } }
  }

  /** In the order of their start. */
  get order(): string {
    const created = this.#pod.metadata?.creationTimestamp
    return `${created ? new Date(created).toISOString() : ''} ${this.name}`
  }

  get conversation(): Conversation | undefined {
    return this.#session.conversation
  }

  observe(): ObservedPod {
    const { lingersUntil, deletedWithin } = this
    const { state } = this
    const lines = state.kind === 'down' ? this.#output.linesOf(this.#endOf(state)) : undefined
    return {
      ...{ name: this.name, state, endpoint: this.endpoint, restarts: this.#restarts },
      ...{ released: this.#released, retirement: this.retirement },
      ...(lingersUntil !== undefined && { lingersUntil }),
      ...(deletedWithin !== undefined && { deletedWithin }),
      ...(lines && { lines }),
      ...{ failure: this.#session.failure, doing: this.#doing, reason: this.#reason ?? null },
    }
  }

  get state(): PodState {
    return readPod(this.#pod)
  }

  /** Where the gateway reaches it; `undefined`: it does not answer, or must not be asked. */
  get endpoint(): Endpoint | undefined {
    const { podIP } = this.#pod.status ?? {}
    if (this.retirement !== 'none' || !podIP) return undefined
    if (this.state.kind !== 'ready' && !this.#isLingering) return undefined
    if (this.#needsLink && !this.#session.isOpen) return undefined
    const { start, isLinked } = this.#options
    const url = urlOf(podIP)
    if (!isLinked) return { url, token: start.gatewayToken }
    const { ready } = this.#session
    return ready && endpointOf(ready, start.gatewayToken, url)
  }

  get replica(): Replica {
    const { state, endpoint } = this
    return {
      state: endpoint ? 'healthy' : state.kind === 'down' ? 'restarting' : 'starting',
      since: this.#since,
      restarts: this.#restarts,
      reason: this.#reason ?? null,
      load: this.#session.load,
    }
  }

  /**
   * When it stops answering, in ms since 1970, if others than the driver end it, e.g. to drain its node, and nothing
   * releases it: it ends by itself then, and the gateway must not choose it a moment before. `undefined`: it does not
   * wait.
   */
  get lingersUntil(): number | undefined {
    if (this.#endingSince === undefined || this.retirement !== 'none') return undefined
    const { start, isLinked } = this.#options
    const { lingerMs = 0 } = start
    const { deletionGracePeriodSeconds = 0 } = this.#pod.metadata ?? {}
    // A shorter grace period leaves no time to wait: its runs have to be handed on.
    const mayWait = deletionGracePeriodSeconds * 1000 >= lingerMs + LEAST_END_MS
    if (!mayWait || !isLinked || lingerMs === 0) return undefined
    return this.#endingSince + Math.max(0, lingerMs - LINGER_MARGIN_MS)
  }

  /**
   * From now on it is no endpoint while it ends; open requests go on for `drainMs` at most. Callers that have just
   * chosen it still reach it.
   */
  replace(drainMs: number): void {
    this.#released = 'drains'
    const { signal } = this.#closing
    delay(RELEASE_MS, undefined, { ref: false, signal }).then(
      () => {
        if (this.#released === 'drains') this.#session.release(Math.min(drainMs, this.#leftMs))
      },
      () => {},
    )
  }

  /** Lets it end as soon as it is asked to, whatever is open there. */
  release(): void {
    this.#released = 'at-once'
    this.#session.release()
  }

  /** It has drained: nothing more is to be waited for. */
  endRetirement(): void {
    this.retirement = 'drained'
    this.release()
  }

  update(pod: V1Pod): void {
    this.#pod = pod
    if (this.state.kind === 'ending') this.#endingSince ??= this.#options.now()
    this.#follow()
    const now = this.replica.state
    if (now !== this.#lastState) this.#since = this.#options.now()
    this.#lastState = now
  }

  /** Reads the last lines of the container that has ended, for `observe`. */
  async readEnd(): Promise<void> {
    const { state } = this
    if (state.kind !== 'down') return
    const { container, isPrevious } = state
    const end = { container, isPrevious, isFirst: this.#restarts <= 1 }
    await this.#output.readEnd(this.#endOf(state), end)
  }

  /** Lets go of it: it goes on. */
  leave(): void {
    this.#closing.abort()
    this.#session.stop()
  }

  get #isLingering(): boolean {
    const { lingersUntil = 0 } = this
    return this.#released === 'not' && this.#options.now() < lingersUntil
  }

  /** Whether only an open link shows that it runs: the kubelet may be away while the agent server is not. */
  get #needsLink(): boolean {
    const { state } = this
    return state.kind === 'ending' || (state.kind === 'ready' && state.isUnheard === true)
  }

  get #restarts(): number {
    const counted = agentStatus(this.#pod)?.restartCount ?? 0
    const isWaitingForNext = agentStatus(this.#pod)?.state?.running === undefined
    return this.state.kind === 'down' && isWaitingForNext ? counted + 1 : counted
  }

  /** Which end of a container it is. */
  #endOf({ container }: Extract<PodState, { kind: 'down' }>): string {
    return `${container} ${this.#restarts}`
  }

  get #doing(): string | undefined {
    return this.conversation?.doing ?? this.#output.doing
  }

  get #reason(): string | undefined {
    const { state } = this
    if (state.kind === 'down' || state.kind === 'impossible') return state.reason
    if (state.kind !== 'starting') return undefined
    const doing = this.#doing
    return doing === undefined ? state.note : `It ${doing}.`
  }

  /** How long open requests may go on until the cluster kills it, in ms. */
  get #leftMs(): number {
    const { deletionTimestamp } = this.#pod.metadata ?? {}
    if (!deletionTimestamp) return 0
    const killedAt = new Date(deletionTimestamp).getTime()
    return Math.max(0, killedAt - this.#options.now() - END_MS)
  }

  #follow(): void {
    const { podIP, phase } = this.#pod.status ?? {}
    const { containerID: containerId, state } = agentStatus(this.#pod) ?? {}
    if (containerId) this.#output.follow(containerId, () => this.#isRunning(containerId))
    if (!this.#options.isLinked) return
    const isRunning = state?.running && phase !== 'Failed'
    const running = isRunning && containerId && podIP && { containerId, url: urlOf(podIP) }
    this.#session.follow(running || undefined)
  }

  #isRunning(containerId: string): boolean {
    const status = agentStatus(this.#pod)
    return status?.containerID === containerId && status.state?.running !== undefined
  }
}

function urlOf(podIP: string): string {
  return `http://${podIP.includes(':') ? `[${podIP}]` : podIP}:${PORT}`
}

/**
 * One revision in the cluster, and what the driver does about it. `core/deployment/runtime.ts` has the drawing of its
 * states; what must outlive this process is written on its objects.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { V1Deployment, V1Pod } from '@kubernetes/client-node'
import type { ParkedThreads } from '../../core/agent/parked-threads.ts'
import type { Clock } from '../../core/clock.ts'
import type {
  DrainLimits,
  Endpoint,
  Endpoints,
  Replica,
  RuntimeState,
} from '../../core/deployment/runtime.ts'
import type { StartMessage } from '../../core/deployment/runtime-protocol.ts'
import type { ServerReading } from '../../core/figures/reading.ts'
import type { Log } from '../../core/log.ts'
import type { DeployLog } from '../deploy-log.ts'
import { lastWords } from '../replicas/last-words.ts'
import { lateStart } from '../replicas/late-start.ts'
import { AgentPod } from './agent-pod.ts'
import type { Cluster, ObjectRef } from './cluster.ts'
import { ANNOTATION, objectName, type RevisionIdentity } from './objects/names.ts'
import { START_KEY } from './objects/secret.ts'
import { type PodState, replicaFailure } from './pod-state.ts'

interface RevisionOptions {
  identity: RevisionIdentity
  cluster: Cluster
  deployLog: DeployLog
  /** Output before this time is in the log already, from an earlier process; RFC 3339. */
  logSince: string | undefined
  /** How long it may take until it is healthy, in ms. */
  healthTimeoutMs: number
  /** How long an agent server that is no longer needed may take to drain, in ms. */
  retireLimitMs: number
  /** How long open requests on a replaced pod may go on, in ms. */
  drainMs: number
  /** Whether the cluster sets the number of pods. */
  scalesItself: boolean
  clock: Clock
  log: Log
  /** Called after each change of state. */
  onChange(): void
  /** Receives the last counts of an agent server that ends. */
  onLast(reading: ServerReading): void
}

/** The content of a revision's Secret. */
export interface Told {
  start: StartMessage
  isLinked: boolean
}

export class Revision {
  readonly #options: RevisionOptions
  readonly #pods = new Map<string, AgentPod>()
  readonly #closing = new AbortController()
  #told: Told | undefined
  #deployment: V1Deployment | undefined
  /** The wanted number of agent servers. */
  #desired: number
  #isStandby = false
  #isStopping = false
  #beginning: Promise<void> = Promise.resolve()
  #stopped: Promise<void> | undefined
  #failure: string | undefined
  #isFailing = false
  #wasHealthy = false
  #isKnownHealthy = false
  #downReason: string | undefined
  #seen = ''
  #timer: NodeJS.Timeout | undefined
  /** Logs the steps of its start, until that is over. */
  #repeating: NodeJS.Timeout | undefined
  #gone: (() => void)[] = []

  /** It is starting. `replicas`: how many agent servers it is to have. */
  constructor(options: RevisionOptions, replicas: number) {
    this.#options = options
    this.#desired = replicas
    this.#startTimer()
    this.#seen = this.#fingerprint()
  }

  get deployment_id(): string {
    return this.#options.identity.deployment_id
  }

  get namespace(): string {
    return this.#options.identity.namespace
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Whether the cluster has its Secret and its Deployment. */
  get isWhole(): boolean {
    return this.#told !== undefined && this.#deployment !== undefined
  }

  get state(): RuntimeState {
    if (this.#failure !== undefined) return { kind: 'failed', reason: this.#failure }
    const endpoints = [...this.#serving, ...this.#lingering].flatMap((pod) => pod.endpoint ?? [])
    if (isSome(endpoints)) return { kind: 'healthy', endpoints }
    if (!this.#wasHealthy) return { kind: 'starting' }
    const restarts = Math.max(1, ...this.#serving.map((pod) => pod.restarts))
    const reason = this.#serving.length > 0 ? SILENT : LOST
    return { kind: 'restarting', reason: this.#downReason ?? reason, restarts }
  }

  get replicas(): Replica[] {
    const since = this.#options.clock.now()
    if (this.#failure !== undefined) {
      return [{ state: 'failed', since, restarts: 0, reason: this.#failure, load: null }]
    }
    const there = this.#serving.map((pod) => pod.replica)
    const missing = Math.max(0, this.#desired - there.length)
    const awaited: Replica = { state: 'starting', since, restarts: 0, reason: null, load: null }
    const all = [...there, ...Array.from({ length: missing }, () => awaited)]
    // The cluster scales by itself: without loads the caller does not scale as well.
    return this.#options.scalesItself ? all.map((one) => ({ ...one, load: null })) : all
  }

  /** Takes the content of the Secret; called before anything else. */
  tell(told: Told): void {
    this.#told = told
    this.#isStandby = told.start.isStandby ?? false
  }

  setDeployment(deployment: V1Deployment): void {
    this.#deployment = deployment
    const annotations = deployment.metadata?.annotations ?? {}
    if (ANNOTATION.wasHealthy in annotations) this.#isKnownHealthy = true
    const failure = annotations[ANNOTATION.failure]
    if (failure !== undefined && this.#failure === undefined) this.#settleFailure(failure)
    if (this.#options.scalesItself) this.#desired = deployment.spec?.replicas ?? this.#desired
    this.#look()
  }

  /** The Deployment was deleted by others: the revision has failed, and its next start begins anew. */
  noteDeploymentGone(deployment: V1Deployment): void {
    if (this.#deployment?.metadata?.uid !== deployment.metadata?.uid) return
    this.#deployment = undefined
    this.fail('Somebody has deleted its Deployment from the cluster.')
  }

  /** After a start of this process: restores the wanted number, and ends retired pods. */
  takeOver(): void {
    const retired = [...this.#pods.values()].filter((pod) => pod.isRetired && !isEnding(pod))
    const replicas = this.#deployment?.spec?.replicas ?? this.#desired
    this.#desired = Math.max(1, replicas - retired.length)
    for (const pod of retired) void this.#endPod(pod)
    this.#look()
  }

  setPod(pod: V1Pod): void {
    const name = pod.metadata?.name ?? ''
    const known = this.#pods.get(name)
    if (known) known.update(pod)
    else if (this.#told) this.#pods.set(name, this.#createPod(pod, this.#told))
    this.#look()
  }

  removePod(pod: V1Pod): void {
    const name = pod.metadata?.name ?? ''
    this.#pods.get(name)?.close()
    this.#pods.delete(name)
    if (this.#pods.size === 0) for (const tell of this.#gone.splice(0)) tell()
    this.#look()
  }

  /** Its objects are being created: a stop waits for that, so that none is created after it. Never rejects. */
  begin(beginning: Promise<void>): void {
    this.#beginning = beginning
  }

  fail(reason: string): void {
    void this.#fail(reason)
  }

  async inspect(): Promise<ParkedThreads | undefined> {
    return this.#serving.find((pod) => pod.endpoint)?.conversation?.inspect()
  }

  /** Includes retired agent servers. */
  async readings(): Promise<ServerReading[]> {
    const all = [...this.#pods.values()].filter((pod) => pod.state.kind === 'ready')
    const readings = await Promise.all(
      all.map(async (pod) => {
        const url = pod.endpoint?.url ?? ''
        const reading = await pod.conversation?.measure()
        return reading && { ...reading, url }
      }),
    )
    return readings.filter((reading) => reading !== undefined)
  }

  /** The start message changes first: a pod that the cluster restarts is active then. */
  async activate(): Promise<void> {
    if (this.#isStandby) {
      this.#isStandby = false
      await this.#writeStandby(false)
    }
    await Promise.all([...this.#pods.values()].map((pod) => pod.conversation?.activate()))
  }

  /** A pod that dies meanwhile comes back to answer, not to execute. */
  async drain(limits: DrainLimits): Promise<number | undefined> {
    this.#isStandby = true
    void this.#writeStandby(true)
    const dues = await Promise.all(
      [...this.#pods.values()].map((pod) =>
        pod.endpoint ? pod.conversation?.drain(limits) : undefined,
      ),
    )
    const known = dues.filter((due) => due !== undefined)
    return known.length > 0 ? Math.min(...known) : undefined
  }

  /** See `RuntimeDriver.scale`. */
  scale(count: number, retire: (endpoint: Endpoint | undefined) => Promise<void>): void {
    const { scalesItself } = this.#options
    if (this.#isStopping || this.#failure !== undefined || scalesItself || count < 1) return
    const serving = this.#serving
    const surplus = serving.slice(count)
    const isMore = count > this.#desired
    this.#desired = count
    if (isMore) void this.#attempt('scale', this.#setReplicas())
    for (const pod of surplus) {
      const { endpoint } = pod
      pod.isRetired = true
      void this.#retire(pod, endpoint, retire)
    }
    if (surplus.length === 0 && !isMore) void this.#attempt('scale', this.#setReplicas())
    this.#look()
  }

  /**
   * Asks all agent servers to end, has them killed after `graceMs`, and removes the objects. Resolves when nothing is
   * left. May be called again.
   */
  async stop(graceMs: number): Promise<void> {
    // A second removal beside this one would remove objects of the next start.
    if (this.#stopped) this.#hurry(graceMs)
    else this.#stopped = this.#remove(graceMs)
    try {
      await this.#stopped
    } catch (error) {
      this.#stopped = undefined
      throw error
    }
  }

  #hurry(graceMs: number): void {
    for (const pod of this.#pods.values()) {
      if (isEnding(pod)) void this.#attempt('stop', this.#deletePod(pod, graceMs))
    }
  }

  async #remove(graceMs: number): Promise<void> {
    this.#isStopping = true
    this.#endTimers()
    for (const pod of this.#pods.values()) pod.release()
    await this.#beginning
    const { cluster } = this.#options
    if (this.#pods.size > 0) {
      await cluster.patch(this.#ref('apps/v1', 'Deployment'), { spec: { replicas: 0 } })
      await Promise.all([...this.#pods.values()].map((pod) => this.#deletePod(pod, graceMs)))
    }
    // In this order: the owner of all is last, so that an interrupted stop is found again.
    const name = objectName(this.#options.identity.revision_id)
    await cluster.remove(this.#ref('apps/v1', 'Deployment'))
    await this.#whenEmpty()
    const others = OWNED_KINDS.map(([apiVersion, kind]) => this.#ref(apiVersion, kind))
    await Promise.all(others.map((ref) => cluster.remove(ref)))
    await cluster.remove({
      ...this.#ref('v1', 'Secret'),
      metadata: { name, namespace: this.namespace },
    })
    this.close()
  }

  /** Lets go of the revision: its pods go on. */
  close(): void {
    this.#endTimers()
    this.#closing.abort()
    for (const pod of this.#pods.values()) pod.close()
    this.#options.deployLog.close()
    for (const tell of this.#gone.splice(0)) tell()
  }

  get #serving(): AgentPod[] {
    return [...this.#pods.values()]
      .filter((pod) => !pod.isRetired && !isEnding(pod))
      .sort((a, b) => (a.order < b.order ? -1 : 1))
  }

  /** Pods that others end, while their replacements in the cluster do not answer yet. */
  get #lingering(): AgentPod[] {
    return [...this.#pods.values()].filter((pod) => pod.isLingering)
  }

  #createPod(pod: V1Pod, { start, isLinked }: Told): AgentPod {
    const { cluster, deployLog, logSince, clock, onLast } = this.#options
    return new AgentPod(pod, {
      ...{ cluster, start, isLinked, logSince },
      onLine: (line) => deployLog.line(line),
      onLast,
      onChange: () => this.#look(),
      onReady: (conversation) => {
        if (!this.#isStandby) void conversation.activate()
      },
      now: () => clock.now(),
    })
  }

  /** Acts on what has changed, and reports a change of state. */
  #look(): void {
    if (this.#closing.signal.aborted || this.#isStopping) return
    this.#releaseReplaced()
    if (this.#failure === undefined) this.#judge()
    const now = this.#fingerprint()
    if (now === this.#seen) return
    this.#seen = now
    const { log } = this.#options
    const { state } = this
    log[state.kind === 'healthy' ? 'info' : 'warn'](forLog(state), `The revision is ${state.kind}.`)
    this.#options.onChange()
  }

  #releaseReplaced(): void {
    const answering = this.#serving.filter((pod) => pod.endpoint).length
    const isEnough = answering >= this.#desired || this.#failure !== undefined
    for (const pod of this.#pods.values()) {
      // A pod that may not wait, or has waited long enough, has to hand its runs on.
      if (isEnding(pod) && (isEnough || !pod.isLingering)) pod.replace(this.#options.drainMs)
    }
  }

  #judge(): void {
    const states = this.#serving.map((pod) => pod.state)
    const down = states.find((state) => state.kind === 'down')
    if (this.state.kind === 'healthy') {
      this.#wasHealthy = true
      this.#downReason = undefined
      this.#endTimers()
      if (!this.#isKnownHealthy) this.#noteHealthy()
    }
    if (this.#wasHealthy || this.#isKnownHealthy) {
      // After a start of this process: a pod that went down meanwhile is no failed start.
      if (down && this.state.kind === 'starting') this.#wasHealthy = true
      if (down) void this.#noteDown(down)
      return
    }
    const impossible = states.find((state) => state.kind === 'impossible')
    const refused = this.#deployment && replicaFailure(this.#deployment)
    if (down) void this.#failFor(down)
    else if (impossible) void this.#fail(impossible.reason)
    else if (refused) void this.#fail(refused)
  }

  async #noteDown(state: Extract<PodState, { kind: 'down' }>): Promise<void> {
    const why = `The agent server died: ${state.reason}.`
    this.#downReason = why
    const lines = await this.#podIn(state)?.lastLines(state)
    if (this.#downReason === why) this.#downReason = explain(why, lines ?? [])
  }

  async #failFor(state: Extract<PodState, { kind: 'down' }>): Promise<void> {
    if (this.#isFailing) return
    this.#isFailing = true
    const pod = this.#podIn(state)
    const lines = (await pod?.lastLines(state)) ?? []
    // Read after the wait: its message may have come a moment later than its end.
    const why = pod?.failure ?? `The agent server did not start: ${state.reason}.`
    this.#isFailing = false
    await this.#fail(explain(why, lines))
  }

  #podIn(state: Extract<PodState, { kind: 'down' }>): AgentPod | undefined {
    return this.#serving.find((pod) => {
      const own = pod.state
      return own.kind === 'down' && own.reason === state.reason
    })
  }

  #startTimer(): void {
    const { healthTimeoutMs } = this.#options
    this.#timer = setTimeout(() => void this.#giveUp(), healthTimeoutMs)
    clearInterval(this.#repeating)
    this.#repeating = setInterval(() => this.#noteStart(), REPEAT_MS)
  }

  #endTimers(): void {
    clearTimeout(this.#timer)
    clearInterval(this.#repeating)
  }

  #noteStart(): void {
    const { reason } = this.#serving[0]?.replica ?? { reason: null }
    if (reason !== null) this.#options.deployLog.note(`The agent server still starts. ${reason}`)
  }

  /** The time limit is over: the reason says what keeps it from being healthy. */
  async #giveUp(): Promise<void> {
    if (this.#wasHealthy || this.#isKnownHealthy || this.#isStopping) return
    // The cluster has not taken it yet: its API is away, or its project is being packed.
    if (!this.#deployment) {
      this.#startTimer()
      return
    }
    const [pod] = this.#serving
    const why = pod?.failure ?? lateStart(this.#options.healthTimeoutMs, pod?.doing)
    const state = pod?.state
    const note = state?.kind === 'starting' ? state.note : undefined
    const warning = pod && !note ? await this.#options.cluster.lastWarning(podOf(pod)) : undefined
    const hint = [note, warning].filter((one) => one !== undefined)
    await this.#fail(explain([why, ...hint].join('\n'), this.#options.deployLog.tail()))
  }

  async #fail(reason: string): Promise<void> {
    if (this.#failure !== undefined || this.#isFailing || this.#isStopping) return
    this.#settleFailure(reason)
    this.#look()
    if (!this.#deployment) return
    const annotations = { [ANNOTATION.failure]: reason.slice(0, MAX_REASON_CHARS) }
    const patch = { metadata: { annotations }, spec: { replicas: 0 } }
    await this.#attempt(
      'failure',
      this.#options.cluster.patch(this.#ref('apps/v1', 'Deployment'), patch),
    )
  }

  #settleFailure(reason: string): void {
    this.#endTimers()
    this.#failure = reason
  }

  #noteHealthy(): void {
    this.#isKnownHealthy = true
    const patch = { metadata: { annotations: { [ANNOTATION.wasHealthy]: 'true' } } }
    void this.#attempt(
      'health',
      this.#options.cluster.patch(this.#ref('apps/v1', 'Deployment'), patch),
    )
  }

  /**
   * The Secret holds the start message of pods. A change of the pods makes the kubelet write it into them at once, and
   * not within a minute.
   */
  async #writeStandby(isStandby: boolean): Promise<void> {
    const told = this.#told
    if (!told) return
    this.#told = { ...told, start: { ...told.start, isStandby } }
    const text = JSON.stringify(this.#told.start)
    const data = { [START_KEY]: Buffer.from(text).toString('base64') }
    const { cluster } = this.#options
    await this.#attempt('standby', cluster.patch(this.#ref('v1', 'Secret'), { data }))
    const role = {
      metadata: { annotations: { [ANNOTATION.role]: isStandby ? 'standby' : 'active' } },
    }
    const all = [...this.#pods.values()].map((pod) => cluster.patch(this.#podRef(pod), role))
    await Promise.all(all.map((one) => this.#attempt('role', one)))
  }

  #setReplicas(): Promise<void> {
    const retiring = [...this.#pods.values()].filter(
      (pod) => pod.isRetired && !isEnding(pod),
    ).length
    const spec = { replicas: this.#desired + retiring }
    return this.#options.cluster.patch(this.#ref('apps/v1', 'Deployment'), { spec })
  }

  async #retire(
    pod: AgentPod,
    endpoint: Endpoint | undefined,
    retire: (endpoint: Endpoint | undefined) => Promise<void>,
  ): Promise<void> {
    const annotations = { [ANNOTATION.retired]: 'true', [DELETION_COST]: '-1000' }
    const noted = this.#options.cluster.patch(this.#podRef(pod), { metadata: { annotations } })
    const { signal } = this.#closing
    const late = delay(this.#options.retireLimitMs, undefined, { ref: false, signal })
    await Promise.all([
      this.#attempt('retirement', noted),
      Promise.race([pod.conversation?.drain(RETIRING_LIMITS), late]).catch(() => {}),
      retire(endpoint).catch(() => {}),
    ])
    if (!signal.aborted && !this.#isStopping) await this.#endPod(pod)
  }

  /** Reduces the Deployment by one, and deletes this pod, the cheapest to delete. */
  async #endPod(pod: AgentPod): Promise<void> {
    pod.release()
    const { cluster } = this.#options
    const retiring = [...this.#pods.values()].filter(
      (one) => one.isRetired && !isEnding(one),
    ).length
    const spec = { replicas: this.#desired + Math.max(0, retiring - 1) }
    const scaled = cluster.patch(this.#ref('apps/v1', 'Deployment'), { spec })
    await this.#attempt('retirement', scaled)
    await this.#attempt('retirement', cluster.remove(this.#podRef(pod), RETIRING_GRACE_SECONDS))
  }

  /** The Deployment wants no pods by now: the cluster deletes them and creates no others. */
  async #deletePod(pod: AgentPod, graceMs: number): Promise<void> {
    const { signal } = this.#closing
    for (let waited = 0; waited < DELETION_WAIT_MS && !isEnding(pod) && !signal.aborted; ) {
      if (!this.#pods.has(pod.name)) return
      await delay(DELETION_LOOK_MS, undefined, { ref: false })
      waited += DELETION_LOOK_MS
    }
    await this.#options.cluster.remove(this.#podRef(pod), Math.max(1, Math.ceil(graceMs / 1000)))
  }

  #whenEmpty(): Promise<void> {
    if (this.#pods.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#gone.push(resolve))
  }

  /** Logs refusals of the cluster: the next change tries again, or the state shows it. */
  async #attempt(what: string, work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) => {
      if (this.#closing.signal.aborted) return
      this.#options.log.warn({ err: error, what }, 'Kubernetes refuses a change of a revision.')
    })
  }

  #ref(apiVersion: string, kind: string): ObjectRef {
    const { revision_id, namespace } = this.#options.identity
    return { apiVersion, kind, metadata: { name: objectName(revision_id), namespace } }
  }

  #podRef({ name, namespace }: AgentPod): ObjectRef {
    return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } }
  }

  /** The state as listeners see it: a longer reason is no change. */
  #fingerprint(): string {
    const state = this.state
    return JSON.stringify('reason' in state ? { ...state, reason: '' } : state)
  }
}

/** How often the deploy log repeats the current step of a start, in ms. */
const REPEAT_MS = 10_000
const LOST = 'The agent server is gone: Kubernetes has deleted its pod, and makes another one.'
const SILENT = 'The agent server does not answer, or its node does not.'
/** Annotations of an object are 256 KiB at most, all of them. */
const MAX_REASON_CHARS = 32_000
/** Which pods a ReplicaSet deletes first. */
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'
const OWNED_KINDS = [
  ['v1', 'Service'],
  ['networking.k8s.io/v1', 'NetworkPolicy'],
  ['policy/v1', 'PodDisruptionBudget'],
] as const
/** Another agent server of the revision takes the runs over, so there is little to wait for. */
const RETIRING_LIMITS: DrainLimits = { graceMs: 30_000, checkpointMs: 15_000 }
const RETIRING_GRACE_SECONDS = 5
/** How long the cluster may take to delete unwanted pods before they are deleted here, in ms. */
const DELETION_WAIT_MS = 5_000
const DELETION_LOOK_MS = 25

function isEnding(pod: AgentPod): boolean {
  return pod.state.kind === 'ending'
}

function podOf({ name, namespace }: AgentPod) {
  return { pod: name, namespace }
}

/** `why`: a sentence, with details on the lines after it. */
function explain(why: string, lines: string[]): string {
  return [why, ...lastWords(lines, why)].join('\n')
}

/** Without the tokens. */
function forLog(state: RuntimeState): object {
  return state.kind === 'healthy' ? { urls: state.endpoints.map(({ url }) => url) } : { ...state }
}

function isSome(endpoints: Endpoint[]): endpoints is [Endpoint, ...Endpoint[]] & Endpoints {
  return endpoints.length > 0
}

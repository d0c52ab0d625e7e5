/**
 * One revision in the cluster: what the driver observes of it, and how it does the steps that `next-pod-step.ts` names,
 * which has the drawing of its states. It looks after each change, and when a step becomes due.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { V1Deployment, V1Pod } from '@kubernetes/client-node'
import type { ParkedThreads } from '../../core/agent/parked-threads.ts'
import type { Clock } from '../../core/clock.ts'
import type { DrainLimits, Endpoint, Replica, RuntimeState } from '../../core/deployment/runtime.ts'
import type { ServerReading } from '../../core/figures/reading.ts'
import type { Log } from '../../core/log.ts'
import type { StartMessage } from '../../link/messages.ts'
import type { DeployLog } from '../deploy-log.ts'
import { explain } from '../replicas/last-words.ts'
import { earliest, RETIRING_LIMITS } from '../replicas/replicas.ts'
import type { Hearing } from '../replicas/revision-table.ts'
import { AgentPod } from './agent-pod.ts'
import type { Cluster, ObjectRef } from './cluster.ts'
import { BEGINNING, keyOf, nextPodStep, type PodStep, replicasOf } from './next-pod-step.ts'
import { ANNOTATION, encoded, objectName, type RevisionIdentity } from './objects/names.ts'
import { START_KEY } from './objects/secret.ts'
import {
  failureOf,
  type Memory,
  type ObservedRevision,
  placesOf,
  remember,
  stateOf,
  type Wanted,
} from './observed-revision.ts'
import { replicaFailure } from './pod-state.ts'

interface RevisionOptions extends Hearing {
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
}

/** The content of a revision's Secret. */
export interface SecretContent {
  start: StartMessage
  isLinked: boolean
}

export class Revision {
  readonly #options: RevisionOptions
  readonly #pods = new Map<string, AgentPod>()
  readonly #closing = new AbortController()
  /** The steps that are being done, by their keys. */
  readonly #underWay = new Map<string, Promise<void>>()
  #secret: SecretContent | undefined
  #deployment: V1Deployment | undefined
  #wanted: Wanted
  #memory: Memory
  #stopped: PromiseWithResolvers<void> | undefined
  #timer: NodeJS.Timeout | undefined
  /** The state as listeners saw it last. */
  #reported: string

  /** It is starting. `replicas`: how many agent servers it is to have. */
  constructor(options: RevisionOptions, replicas: number) {
    this.#options = options
    this.#wanted = { replicas, isStandby: false }
    const now = options.clock.now()
    this.#memory = {
      ...{ isManaged: false, wasHealthy: false, hasNoDeployment: false },
      ...{ startedAt: now, notedAt: now, downReason: undefined, failure: undefined },
    }
    this.#reported = fingerprint(this.state)
  }

  get deployment_id(): string {
    return this.#options.identity.deployment_id
  }

  get isStopping(): boolean {
    return this.#wanted.stop !== undefined
  }

  /** Whether the cluster has its Secret and its Deployment. */
  get isWhole(): boolean {
    return this.#secret !== undefined && this.#deployment !== undefined
  }

  get state(): RuntimeState {
    return stateOf(this.#observe())
  }

  get replicas(): Replica[] {
    const observed = this.#observe()
    const since = this.#options.clock.now()
    const reason = failureOf(observed)
    if (reason !== undefined) return [{ state: 'failed', since, restarts: 0, reason, load: null }]
    const count = replicasOf(observed, this.#wanted)
    const there = placesOf(observed.pods, count).flatMap(
      ({ name }) => this.#pods.get(name)?.replica ?? [],
    )
    const missing = Math.max(0, count - there.length)
    const awaited: Replica = { state: 'starting', since, restarts: 0, reason: null, load: null }
    const all = [...there, ...Array.from({ length: missing }, () => awaited)]
    // The cluster scales by itself: without loads the caller does not scale as well.
    return this.#options.scalesItself ? all.map((one) => ({ ...one, load: null })) : all
  }

  /** Takes the content of the Secret; called before anything else. */
  setSecret(secret: SecretContent): void {
    this.#secret = secret
    this.#wanted = { ...this.#wanted, isStandby: secret.start.isStandby ?? false }
  }

  /**
   * All of its objects in the cluster are known: from now on steps are taken. Of a revision from before this process,
   * the Deployment has the wanted number of agent servers, and one more for each pod that drained.
   */
  manage(): void {
    const retired = [...this.#pods.values()].filter(
      (pod) => pod.retirement !== 'none' && pod.state.kind !== 'ending',
    )
    const replicas = this.#deployment?.spec?.replicas ?? this.#wanted.replicas
    this.#wanted = { ...this.#wanted, replicas: Math.max(1, replicas - retired.length) }
    this.#memory = { ...this.#memory, isManaged: true }
    this.#look()
  }

  setDeployment(deployment: V1Deployment): void {
    if (!this.#deployment) this.#memory = { ...this.#memory, startedAt: this.#options.clock.now() }
    this.#deployment = deployment
    this.#look()
  }

  /** The Deployment was deleted by others: the revision has failed, and its next start begins anew. */
  noteDeploymentGone(deployment: V1Deployment): void {
    if (this.#deployment?.metadata?.uid !== deployment.metadata?.uid) return
    this.#deployment = undefined
    this.fail('Its Deployment was deleted from the cluster, and not by Runyard.')
  }

  setPod(pod: V1Pod): void {
    const name = pod.metadata?.name ?? ''
    const known = this.#pods.get(name)
    if (known) known.update(pod)
    else if (this.#secret) this.#pods.set(name, this.#createPod(pod, this.#secret))
    this.#look()
  }

  removePod(pod: V1Pod): void {
    const name = pod.metadata?.name ?? ''
    this.#pods.get(name)?.leave()
    this.#pods.delete(name)
    this.#look()
  }

  /** Its objects are being created: a stop waits for that, so that none is created after it. Never rejects. */
  begin(beginning: Promise<void>): void {
    this.#follow(BEGINNING, beginning)
  }

  fail(reason: string): void {
    if (failureOf(this.#observe()) === undefined && !this.isStopping) {
      this.#memory = { ...this.#memory, failure: reason }
    }
    this.#look()
  }

  async inspect(): Promise<ParkedThreads | undefined> {
    return [...this.#pods.values()].find((pod) => pod.endpoint)?.conversation?.inspect()
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
    this.#wanted = { ...this.#wanted, isStandby: false }
    this.#look()
    await this.#underWay.get('write-role')
    await Promise.all([...this.#pods.values()].map((pod) => pod.conversation?.activate()))
  }

  /** A pod that dies meanwhile comes back to answer, not to execute. */
  async drain(limits: DrainLimits): Promise<number | undefined> {
    this.#wanted = { ...this.#wanted, isStandby: true }
    this.#look()
    const dues = await Promise.all(
      [...this.#pods.values()].map((pod) =>
        pod.endpoint ? pod.conversation?.drain(limits) : undefined,
      ),
    )
    return earliest(dues)
  }

  /** See `RuntimeDriver.scale`. */
  scale(replicas: number, retire: (endpoint: Endpoint | undefined) => Promise<void>): void {
    if (this.#options.scalesItself || replicas < 1) return
    this.#wanted = { ...this.#wanted, replicas, retire }
    this.#look()
  }

  /**
   * Asks all agent servers to end, has them killed after `graceMs`, and removes the objects. Resolves when nothing is
   * left; rejects when the cluster refuses that. May be called again.
   */
  async stop(graceMs: number): Promise<void> {
    if (this.#closing.signal.aborted) return
    const since = this.#wanted.stop?.since ?? this.#options.clock.now()
    const graceSeconds = Math.max(1, Math.ceil(graceMs / 1000))
    this.#wanted = { ...this.#wanted, stop: { graceSeconds, since } }
    this.#stopped ??= Promise.withResolvers()
    const { promise } = this.#stopped
    this.#look()
    await promise
  }

  /** Lets go of the revision: its pods go on. */
  leave(): void {
    this.#closing.abort()
    clearTimeout(this.#timer)
    for (const pod of this.#pods.values()) pod.leave()
    this.#options.deployLog.close()
    this.#stopped?.resolve()
  }

  #createPod(pod: V1Pod, { start, isLinked }: SecretContent): AgentPod {
    const { cluster, deployLog, logSince, clock, onLast } = this.#options
    return new AgentPod(pod, {
      ...{ cluster, start, isLinked, logSince },
      onLine: (line) => deployLog.line(line),
      onLast,
      onChange: () => this.#look(),
      onReady: (conversation) => {
        if (!this.#wanted.isStandby) void conversation.activate()
      },
      now: () => clock.now(),
    })
  }

  #observe(): ObservedRevision {
    const { healthTimeoutMs, scalesItself } = this.#options
    const { metadata, spec } = this.#deployment ?? {}
    const annotations = metadata?.annotations ?? {}
    return {
      deployment: this.#deployment && {
        replicas: spec?.replicas ?? 1,
        wasHealthy: ANNOTATION.wasHealthy in annotations,
        failure: annotations[ANNOTATION.failure],
        refusal: replicaFailure(this.#deployment),
      },
      isStandby: this.#secret && (this.#secret.start.isStandby ?? false),
      pods: [...this.#pods.values()]
        .sort((a, b) => (a.order < b.order ? -1 : 1))
        .map((pod) => pod.observe()),
      memory: this.#memory,
      underWay: this.#underWay,
      limits: { healthTimeoutMs, scalesItself },
    }
  }

  /** Takes one step after the other until there is none, or until one has changed nothing. */
  #look(): void {
    for (let last: PodStep | undefined; !this.#closing.signal.aborted; ) {
      const observed = this.#observe()
      this.#memory = remember(observed)
      const now = this.#options.clock.now()
      const decision = nextPodStep({ ...observed, memory: this.#memory }, this.#wanted, now)
      const { step } = decision
      if (!step) this.#lookAt(decision.until)
      if (!step || isDeepStrictEqual(step, last)) break
      this.#take(step)
      last = step
    }
    if (!this.isStopping) this.#report()
  }

  #lookAt(moment: number | null): void {
    clearTimeout(this.#timer)
    if (moment === null) return
    this.#timer = setTimeout(() => this.#look(), moment - this.#options.clock.now())
  }

  #report(): void {
    const { state } = this
    const now = fingerprint(state)
    if (now === this.#reported || this.#closing.signal.aborted) return
    this.#reported = now
    const { log, onChange } = this.#options
    log[state.kind === 'healthy' ? 'info' : 'warn'](forLog(state), `The revision is ${state.kind}.`)
    onChange()
  }

  #take(step: PodStep): void {
    const work = this.#do(step)
    if (work) this.#follow(keyOf(step), work)
  }

  /**
   * Looks again when it is done. A step that the cluster refuses is tried again; a refused stop is the caller's to
   * repeat.
   */
  #follow(key: string, work: Promise<unknown>): void {
    const stopped = this.#stopped
    const done = work.then(
      () => {
        this.#underWay.delete(key)
        this.#look()
      },
      (error: unknown) => {
        this.#underWay.delete(key)
        this.#complain(key, error)
        if (!this.isStopping) this.#lookAt(this.#options.clock.now() + RETRY_MS)
        if (this.#stopped === stopped) this.#stopped = undefined
        stopped?.reject(error)
      },
    )
    this.#underWay.set(key, done)
  }

  #complain(what: string, error: unknown): void {
    if (this.#closing.signal.aborted) return
    this.#options.log.warn({ err: error, what }, 'Kubernetes refuses a change of a revision.')
  }

  /** Returns what goes on in the background; `undefined`: it is done. */
  #do(step: PodStep): Promise<unknown> | undefined {
    switch (step.kind) {
      case 'release': {
        const pod = this.#pods.get(step.pod)
        if (step.how === 'drains') pod?.replace(this.#options.drainMs)
        else pod?.release()
        return undefined
      }
      case 'read-end':
        return this.#pods.get(step.pod)?.readEnd()
      case 'fail':
        this.#memory = { ...this.#memory, failure: step.reason }
        return undefined
      case 'give-up':
        return this.#giveUp(step)
      case 'note-failure': {
        const failure = step.reason.slice(0, MAX_REASON_CHARS)
        const metadata = { annotations: { [ANNOTATION.failure]: failure } }
        return this.#patchDeployment({ metadata, spec: { replicas: 0 } })
      }
      case 'note-healthy':
        return this.#patchDeployment({
          metadata: { annotations: { [ANNOTATION.wasHealthy]: 'true' } },
        })
      case 'note-start': {
        const { reason } = step
        if (reason) this.#options.deployLog.note(`The agent server still starts. ${reason}`)
        this.#memory = { ...this.#memory, notedAt: this.#options.clock.now() }
        return undefined
      }
      case 'write-role':
        return this.#writeRole(step.isStandby)
      case 'retire':
        return this.#retire(step.pod)
      case 'scale':
        return this.#patchDeployment({ spec: { replicas: step.replicas } })
      case 'delete':
        return this.#deletePod(step.pod, step.graceSeconds)
      case 'remove-deployment':
        return this.#removeDeployment()
      case 'remove-rest':
        return this.#removeRest()
    }
  }

  async #giveUp({ why, pod, note }: Extract<PodStep, { kind: 'give-up' }>): Promise<void> {
    const { cluster, identity, deployLog } = this.#options
    const { namespace } = identity
    const hint = note ?? (pod && (await cluster.lastWarning({ pod, namespace })))
    if (stateOf(this.#observe()).kind !== 'starting') return
    this.fail(explain(hint ? `${why}\n${hint}` : why, deployLog.tail()))
  }

  async #patchDeployment(patch: object): Promise<void> {
    const { cluster } = this.#options
    const before = this.#deployment
    const after = await cluster.patch<V1Deployment>(this.#ref('apps/v1', 'Deployment'), patch)
    if (after && this.#deployment) this.#deployment = after
    else if (before) this.noteDeploymentGone(before)
  }

  /**
   * The Secret holds the start message of pods. A change of the pods makes the kubelet write it into them at once, and
   * not within a minute.
   */
  async #writeRole(isStandby: boolean): Promise<void> {
    const secret = this.#secret
    if (!secret) return
    const { cluster } = this.#options
    const start = { ...secret.start, isStandby }
    const data = { [START_KEY]: encoded(JSON.stringify(start)) }
    await cluster.patch(this.#ref('v1', 'Secret'), { data })
    this.#secret = { ...secret, start }
    const annotations = { [ANNOTATION.role]: isStandby ? 'standby' : 'active' }
    await Promise.all(
      [...this.#pods.values()].map((pod) =>
        cluster
          .patch(pod.ref, { metadata: { annotations } })
          .catch((error: unknown) => this.#complain('role', error)),
      ),
    )
  }

  /** Resolves when nothing more is to be waited for. */
  async #retire(name: string): Promise<void> {
    const pod = this.#pods.get(name)
    if (!pod) return
    const { endpoint } = pod
    pod.retirement = 'draining'
    const annotations = { [ANNOTATION.retired]: 'true', [DELETION_COST]: '-1000' }
    const noted = this.#options.cluster.patch(pod.ref, { metadata: { annotations } })
    const { signal } = this.#closing
    const late = delay(this.#options.retireLimitMs, undefined, { ref: false, signal })
    await Promise.all([
      noted.catch((error: unknown) => this.#complain('retirement', error)),
      Promise.race([pod.conversation?.drain(RETIRING_LIMITS), late]).catch(() => {}),
      this.#wanted.retire?.(endpoint).catch(() => {}),
    ])
    if (!signal.aborted) pod.endRetirement()
  }

  async #deletePod(name: string, graceSeconds: number): Promise<void> {
    const pod = this.#pods.get(name)
    if (!pod) return
    pod.deletedWithin = graceSeconds
    try {
      await this.#options.cluster.remove(pod.ref, graceSeconds)
    } catch (error) {
      pod.deletedWithin = undefined
      throw error
    }
  }

  async #removeDeployment(): Promise<void> {
    await this.#options.cluster.remove(this.#ref('apps/v1', 'Deployment'))
    this.#memory = { ...this.#memory, hasNoDeployment: true }
  }

  async #removeRest(): Promise<void> {
    const { cluster } = this.#options
    const others = OWNED_KINDS.map(([apiVersion, kind]) => this.#ref(apiVersion, kind))
    await Promise.all(others.map((ref) => cluster.remove(ref)))
    await cluster.remove(this.#ref('v1', 'Secret'))
    this.leave()
  }

  #ref(apiVersion: string, kind: string): ObjectRef {
    const { revision_id, namespace } = this.#options.identity
    return { apiVersion, kind, metadata: { name: objectName(revision_id), namespace } }
  }
}

/** Annotations of an object are 256 KiB at most, all of them. */
const MAX_REASON_CHARS = 32_000
/** How long after a refusal a step is tried again, in ms. */
const RETRY_MS = 5_000
/** Which pods a ReplicaSet deletes first. */
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'
const OWNED_KINDS = [
  ['v1', 'Service'],
  ['networking.k8s.io/v1', 'NetworkPolicy'],
  ['policy/v1', 'PodDisruptionBudget'],
] as const

/** Without the tokens. */
function forLog(state: RuntimeState): object {
  return state.kind === 'healthy' ? { urls: state.endpoints.map(({ url }) => url) } : { ...state }
}

/** The state as listeners see it: a longer reason is no change. */
function fingerprint(state: RuntimeState): string {
  return JSON.stringify('reason' in state ? { ...state, reason: '' } : state)
}

/**
 * What to do next about a revision in the cluster. The driver observes, asks here, does the one step that is named, and
 * observes again. The first rule with a step names it; a step that is under way does not hold others up.
 *
 * A revision:
 * ```
 * starting ──a pod answers──▶ healthy ◀──a pod answers── restarting
 *    │                           └────none answers──────────▲
 *    └──a pod died, or cannot start, or the time is over──▶ failed: its reason is noted, it keeps no pods
 *
 * stopping, from every state: no pods are kept ─▶ each pod is deleted ─▶ the Deployment is removed
 *                             ─▶ the last pod is gone ─▶ the other objects are removed
 * ```
 * One of its pods:
 * ```
 * starting ──▶ ready ──more than wanted──▶ draining: no endpoint ──▶ drained ──one less is kept──▶ deleted
 *    ▲           │
 *    │           ├──its container ends──▶ down ──the cluster restarts it──▶ starting
 *    │           └──others delete it────▶ lingering: it still answers
 *    └── the cluster makes another pod ──────┘   └──enough others answer, or its time is over──▶ released
 * ```
 * Whatever must outlive this process is written on the objects: the wanted number of pods, that the revision was
 * healthy, why it failed, and that a pod is retired.
 */
import { explain, lateStart } from '../replicas/last-words.ts'
import {
  failureOf,
  hasStarted,
  isOver,
  type ObservedPod,
  type ObservedRevision,
  servingOf,
  stateOf,
  type Wanted,
} from './observed-revision.ts'

export type PodStep =
  /** The agent server may end: with its open requests, or at once. */
  | { kind: 'release'; pod: string; how: 'drains' | 'at-once' }
  /** Reads the last lines of a container that has ended. */
  | { kind: 'read-end'; pod: string }
  | { kind: 'fail'; reason: string }
  /**
   * Its time to start is over. `why`: a sentence. `note`: why the cluster has it wait, as a sentence; absent: its last
   * warning about `pod`.
   */
  | { kind: 'give-up'; why: string; pod?: string; note?: string }
  | { kind: 'note-failure'; reason: string }
  | { kind: 'note-healthy' }
  /** Writes the current step of its start into the deploy log; `null`: it is unknown. */
  | { kind: 'note-start'; reason: string | null }
  | { kind: 'write-role'; isStandby: boolean }
  /** The pod is no endpoint any more and drains. */
  | { kind: 'retire'; pod: string }
  /** Sets the number of pods that the cluster keeps. */
  | { kind: 'scale'; replicas: number }
  | { kind: 'delete'; pod: string; graceSeconds: number }
  | { kind: 'remove-deployment' }
  /** Removes all that is left. */
  | { kind: 'remove-rest' }

/** `until`: when there may be a step although nothing has changed, in ms since 1970; `null`: never. */
type Decision = { step: PodStep } | { step: null; until: number | null }

/** How often the deploy log repeats the current step of a start, in ms. */
const REPEAT_MS = 10_000
/** Another agent server of the revision takes the runs over, so there is little to wait for. */
const RETIRING_GRACE_SECONDS = 5
/** How long the cluster may take to delete unwanted pods before the driver deletes them, in ms. */
const DELETION_WAIT_MS = 5_000

type Rule = (observed: ObservedRevision, wanted: Wanted, now: number) => PodStep[]

const RULES: readonly Rule[] = [
  release,
  readEnds,
  fail,
  giveUp,
  noteFailure,
  noteHealthy,
  writeRole,
  retire,
  scale,
  deleteDrained,
  noteStart,
]

const STOPPING_RULES: readonly Rule[] = [
  releaseAll,
  keepNone,
  deleteAll,
  removeDeployment,
  removeRest,
]

/** Names the one next step. */
export function nextPodStep(observed: ObservedRevision, wanted: Wanted, now: number): Decision {
  const isAtWork = wanted.stop !== undefined || observed.memory.isManaged
  const rules = wanted.stop ? STOPPING_RULES : RULES
  for (const rule of isAtWork ? rules : []) {
    const step = rule(observed, wanted, now).find((one) => !observed.underWay.has(keyOf(one)))
    if (step) return { step }
  }
  return { step: null, until: nextMoment(observed, wanted, now) }
}

/** Two steps with the same key are not done at the same time. */
export function keyOf(step: PodStep): string {
  return 'pod' in step && step.kind !== 'give-up' ? `${step.kind} ${step.pod}` : step.kind
}

function release(observed: ObservedRevision, wanted: Wanted, now: number): PodStep[] {
  const answering = servingOf(observed.pods).filter(({ endpoint }) => endpoint).length
  const isEnough = answering >= replicasOf(observed, wanted) || failureOf(observed) !== undefined
  return observed.pods
    .filter(({ state, released }) => state.kind === 'ending' && released === 'not')
    .filter(({ lingersUntil = 0 }) => isEnough || lingersUntil <= now)
    .map(({ name }) => ({ kind: 'release', pod: name, how: 'drains' }))
}

function readEnds(observed: ObservedRevision): PodStep[] {
  if (failureOf(observed) !== undefined) return []
  return servingOf(observed.pods)
    .filter(({ state, lines }) => state.kind === 'down' && lines === undefined)
    .map(({ name }) => ({ kind: 'read-end', pod: name }))
}

function fail(observed: ObservedRevision): PodStep[] {
  if (!mayFail(observed)) return []
  const serving = servingOf(observed.pods)
  const reasons = [
    ...serving.flatMap(reasonOfEnd),
    ...serving.flatMap(({ state }) => (state.kind === 'impossible' ? [state.reason] : [])),
    observed.deployment?.refusal,
  ]
  const reason = reasons.find((one) => one !== undefined)
  return reason === undefined ? [] : [{ kind: 'fail', reason }]
}

function reasonOfEnd({ state, lines, failure }: ObservedPod): string[] {
  if (state.kind !== 'down' || lines === undefined) return []
  return [explain(failure ?? `The agent server did not start: ${state.reason}.`, lines)]
}

/** Only a revision that never was healthy fails. */
function mayFail(observed: ObservedRevision): boolean {
  return failureOf(observed) === undefined && !isHealthy(observed) && !hasStarted(observed)
}

function isHealthy(observed: ObservedRevision): boolean {
  return stateOf(observed).kind === 'healthy'
}

/** The time counts from its Deployment on: before that the cluster's API is away, or its project is being packed. */
function giveUp(observed: ObservedRevision, _wanted: Wanted, now: number): PodStep[] {
  const { deployment, memory, limits, pods } = observed
  if (!deployment || !mayFail(observed)) return []
  if (now < memory.startedAt + limits.healthTimeoutMs) return []
  const [pod] = servingOf(pods)
  const why = pod?.failure ?? lateStart(limits.healthTimeoutMs, pod?.doing)
  const note = pod?.state.kind === 'starting' ? pod.state.note : undefined
  return [{ kind: 'give-up', why, ...(pod && { pod: pod.name }), ...(note && { note }) }]
}

function noteFailure(observed: ObservedRevision): PodStep[] {
  const reason = failureOf(observed)
  if (reason === undefined || !observed.deployment) return []
  return observed.deployment.failure === undefined ? [{ kind: 'note-failure', reason }] : []
}

function noteHealthy(observed: ObservedRevision): PodStep[] {
  const isNew = observed.deployment?.wasHealthy === false && isHealthy(observed)
  return isNew ? [{ kind: 'note-healthy' }] : []
}

function writeRole({ isStandby: written }: ObservedRevision, { isStandby }: Wanted): PodStep[] {
  if (written === undefined || written === isStandby) return []
  return [{ kind: 'write-role', isStandby }]
}

/** The oldest that answer are kept. Where the Deployment keeps fewer already, the cluster deletes the others. */
function retire(observed: ObservedRevision, wanted: Wanted): PodStep[] {
  const { deployment, limits } = observed
  if (limits.scalesItself || !wanted.retire || failureOf(observed) !== undefined) return []
  if (!deployment || deployment.replicas <= keptOf(observed, wanted)) return []
  const pods = servingOf(observed.pods).filter((pod) => !isOver(pod))
  const answering = pods.filter(({ endpoint }) => endpoint)
  const others = pods.filter(({ endpoint }) => !endpoint)
  return [...answering, ...others]
    .slice(wanted.replicas)
    .map(({ name }) => ({ kind: 'retire', pod: name }))
}

function scale(observed: ObservedRevision, wanted: Wanted): PodStep[] {
  const replicas = keptOf(observed, wanted)
  if (!observed.deployment || observed.deployment.replicas === replicas) return []
  return [{ kind: 'scale', replicas }]
}

/** One less is kept first: otherwise the cluster would replace it. */
function deleteDrained(observed: ObservedRevision, wanted: Wanted): PodStep[] {
  const { deployment, pods } = observed
  if (!deployment || deployment.replicas > keptOf(observed, wanted)) return []
  return pods
    .filter(({ retirement, deletedWithin }) => retirement === 'drained' && !deletedWithin)
    .map(({ name }) => ({ kind: 'delete', pod: name, graceSeconds: RETIRING_GRACE_SECONDS }))
}

function noteStart(observed: ObservedRevision, _wanted: Wanted, now: number): PodStep[] {
  if (!isStarting(observed) || now < observed.memory.notedAt + REPEAT_MS) return []
  return [{ kind: 'note-start', reason: servingOf(observed.pods)[0]?.reason ?? null }]
}

function isStarting(observed: ObservedRevision): boolean {
  return failureOf(observed) === undefined && !isHealthy(observed) && !observed.memory.wasHealthy
}

/** How many agent servers are to serve. */
export function replicasOf({ limits, deployment }: ObservedRevision, wanted: Wanted): number {
  return limits.scalesItself ? (deployment?.replicas ?? 1) : wanted.replicas
}

/** How many pods the cluster is to keep: pods that drain are kept beside those that serve. */
function keptOf(observed: ObservedRevision, wanted: Wanted): number {
  if (failureOf(observed) !== undefined) return 0
  const draining = observed.pods.filter(
    (pod) => pod.retirement === 'draining' && pod.state.kind !== 'ending' && !isOver(pod),
  )
  return replicasOf(observed, wanted) + (observed.limits.scalesItself ? 0 : draining.length)
}

function releaseAll({ pods }: ObservedRevision): PodStep[] {
  return pods
    .filter(({ released }) => released !== 'at-once')
    .map(({ name }) => ({ kind: 'release', pod: name, how: 'at-once' }))
}

/** Waits while its objects are being made, so that none is made after the stop. */
function isBeginning({ underWay }: ObservedRevision): boolean {
  return underWay.has(BEGINNING)
}

/** The key of the making of a revision's objects, while that is under way. */
export const BEGINNING = 'begin'

function keepNone(observed: ObservedRevision): PodStep[] {
  const { deployment, pods } = observed
  const isKept = deployment !== undefined && deployment.replicas > 0 && pods.length > 0
  return isKept && !isBeginning(observed) ? [{ kind: 'scale', replicas: 0 }] : []
}

/** The cluster deletes them first; a second deletion shortens the grace period. */
function deleteAll(observed: ObservedRevision, { stop }: Wanted, now: number): PodStep[] {
  const { deployment, pods } = observed
  if (!stop || isBeginning(observed) || (deployment && deployment.replicas > 0)) return []
  const { graceSeconds, since } = stop
  return pods
    .filter(({ state }) => state.kind === 'ending' || now >= since + DELETION_WAIT_MS)
    .filter(({ deletedWithin }) => deletedWithin !== graceSeconds)
    .map(({ name }) => ({ kind: 'delete', pod: name, graceSeconds }))
}

/** It is removed even if the cluster has not reported it yet. */
function removeDeployment(observed: ObservedRevision): PodStep[] {
  const { pods, memory } = observed
  const isWaiting = pods.some(({ deletedWithin }) => deletedWithin === undefined)
  if (isBeginning(observed) || isWaiting || memory.hasNoDeployment) return []
  return [{ kind: 'remove-deployment' }]
}

/** The owner of all is removed last, so that an interrupted stop is found again. */
function removeRest({ pods, memory }: ObservedRevision): PodStep[] {
  return memory.hasNoDeployment && pods.length === 0 ? [{ kind: 'remove-rest' }] : []
}

function nextMoment(observed: ObservedRevision, { stop }: Wanted, now: number): number | null {
  const { memory, limits, deployment, pods } = observed
  const moments = [
    ...(stop ? [stop.since + DELETION_WAIT_MS] : []),
    ...(!stop && isStarting(observed) ? [memory.notedAt + REPEAT_MS] : []),
    ...(!stop && deployment && mayFail(observed)
      ? [memory.startedAt + limits.healthTimeoutMs]
      : []),
    ...pods.flatMap(({ lingersUntil }) => lingersUntil ?? []),
  ].filter((moment) => moment > now)
  return moments.length > 0 ? Math.min(...moments) : null
}

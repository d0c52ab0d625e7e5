/** A revision in the cluster as it is observed, and what follows from that. Pure: `next-pod-step.ts` decides on it. */
import { areEndpoints, type Endpoint, type RuntimeState } from '../../core/deployment/runtime.ts'
import { explain } from '../replicas/last-words.ts'
import type { PodState } from './pod-state.ts'

export interface ObservedRevision {
  /** `undefined`: the cluster has none, as far as is known. */
  deployment: ObservedDeployment | undefined
  /** The role in its Secret; `undefined`: it has no Secret yet. */
  isStandby: boolean | undefined
  /** In the order of their start. */
  pods: readonly ObservedPod[]
  memory: Memory
  /** The steps that are being done, as `keyOf` names them. */
  underWay: { has(key: string): boolean }
  limits: {
    /** How long it may take until it is healthy, in ms. */
    healthTimeoutMs: number
    /** Whether the cluster sets the number of pods. */
    scalesItself: boolean
  }
}

/** What its Deployment says. */
interface ObservedDeployment {
  /** The number of pods that the cluster is to keep. */
  replicas: number
  /** Whether it is noted there that the revision was healthy once. */
  wasHealthy: boolean
  /** The noted reason why the revision failed. */
  failure: string | undefined
  /** Why the cluster makes no pods for it, as a sentence. */
  refusal: string | undefined
}

export interface ObservedPod {
  name: string
  state: PodState
  /** The gateway reaches it there; `undefined`: it does not answer, or must not be asked. */
  endpoint: Endpoint | undefined
  restarts: number
  /** When it stops answering although no other pod replaces it, in ms since 1970; absent: others do not delete it. */
  lingersUntil?: number
  /** Whether its agent server may end: after its open requests, or at once. */
  released: 'not' | 'drains' | 'at-once'
  retirement: 'none' | 'draining' | 'drained'
  /** The grace period that the driver deleted it with, in s; absent: it did not. */
  deletedWithin?: number
  /** The last lines of its container that ended; absent: they have not been read. */
  lines?: readonly string[]
  /** Its agent server's own reason for not starting. */
  failure: string | undefined
  /** The step of its start and since when; `undefined`: unknown. */
  doing: string | undefined
  /** Why it does not answer yet, as a sentence; `null`: unknown. */
  reason: string | null
}

/** What this process remembers of a revision; the cluster has the rest. */
export interface Memory {
  /** All of its objects in the cluster are known: from now on steps are taken. */
  isManaged: boolean
  /** When its Deployment was seen first, in ms since 1970. */
  startedAt: number
  /** When the deploy log named the step of its start last, in ms since 1970. */
  notedAt: number
  /** Whether this process has seen it healthy, or down after that. */
  wasHealthy: boolean
  /** Why an agent server of it went down since it was healthy. */
  downReason: string | undefined
  /** Why it has failed. */
  failure: string | undefined
  /** A stop has removed its Deployment. */
  hasNoDeployment: boolean
}

/** What the caller wants. */
export interface Wanted {
  /** The number of agent servers. */
  replicas: number
  /** Settles when the gateway sends nothing more to a retired pod. Absent: no pod may be retired yet. */
  retire?(endpoint: Endpoint | undefined): Promise<void>
  /** Whether agent servers leave runs alone. */
  isStandby: boolean
  /** Nothing of it shall be left. `since`: in ms since 1970. */
  stop?: { graceSeconds: number; since: number }
}

const LOST = 'The agent server is gone: Kubernetes has deleted its pod, and makes another one.'
const SILENT = 'The agent server does not answer, or its node does not.'

/** Pods that are neither retired nor being deleted. */
export function servingOf(pods: readonly ObservedPod[]): ObservedPod[] {
  return pods.filter(({ retirement, state }) => retirement === 'none' && state.kind !== 'ending')
}

/** The same, without pods that have ended and were replaced: Kubernetes keeps an evicted pod as a record. */
export function placesOf(pods: readonly ObservedPod[], replicas: number): ObservedPod[] {
  const serving = servingOf(pods)
  const left = serving.filter((pod) => !isOver(pod))
  const over = serving.filter(isOver)
  return [...left, ...over.slice(0, Math.max(0, replicas - left.length))]
}

/** Whether the whole pod has ended, so that the cluster makes another one. */
export function isOver({ state }: ObservedPod): boolean {
  return state.kind === 'down' && state.isOver === true
}

export function failureOf({ memory, deployment }: ObservedRevision): string | undefined {
  return memory.failure ?? deployment?.failure
}

/** Whether it was healthy once: later faults are no failed start. */
export function hasStarted({ memory, deployment }: ObservedRevision): boolean {
  return memory.wasHealthy || deployment?.wasHealthy === true
}

export function stateOf(observed: ObservedRevision): RuntimeState {
  const reason = failureOf(observed)
  if (reason !== undefined) return { kind: 'failed', reason }
  const endpoints = observed.pods.flatMap(({ endpoint }) => endpoint ?? [])
  if (areEndpoints(endpoints)) return { kind: 'healthy', endpoints }
  const { wasHealthy, downReason } = observed.memory
  if (!wasHealthy) return { kind: 'starting' }
  const serving = servingOf(observed.pods)
  return {
    kind: 'restarting',
    reason: downReason ?? (serving.length > 0 ? SILENT : LOST),
    restarts: Math.max(1, ...serving.map(({ restarts }) => restarts)),
  }
}

/** What this process remembers after it has observed this. */
export function remember(observed: ObservedRevision): Memory {
  const { memory } = observed
  if (stateOf(observed).kind === 'healthy') {
    return { ...memory, wasHealthy: true, downReason: undefined }
  }
  const down = servingOf(observed.pods).find(({ state }) => state.kind === 'down')
  if (down?.state.kind !== 'down' || !hasStarted(observed)) return memory
  const why = `The agent server died: ${down.state.reason}.`
  return { ...memory, wasHealthy: true, downReason: explain(why, down.lines ?? []) }
}

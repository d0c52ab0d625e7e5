/** Reads the state of the agent server from its pod's status, in words for a project's author. */
import type {
  V1ContainerState,
  V1ContainerStateTerminated,
  V1ContainerStatus,
  V1Deployment,
  V1Pod,
} from '@kubernetes/client-node'
import { signalOf } from '../../process/group.ts'
import { AGENT } from './objects/pod.ts'

export type PodState =
  /** `note`: the reason for the wait, if the cluster gives one. */
  | { kind: 'starting'; note?: string }
  /**
   * `isUnheard`: its containers were ready at the last report, but its node is silent. The cluster does not know
   * whether it answers.
   */
  | { kind: 'ready'; isUnheard?: true }
  /** It is being deleted. */
  | { kind: 'ending' }
  /** It cannot be started as it is: waiting does not help. */
  | { kind: 'impossible'; reason: string }
  /**
   * A container of it has ended; the cluster restarts it, or has done so. `isOver`: the whole pod has ended, and the
   * cluster makes another one.
   */
  | { kind: 'down'; reason: string; container: string; isPrevious: boolean; isOver?: true }

/** The kubelet's reasons for a wait that does not end by itself. */
export const IMPOSSIBLE: readonly string[] = [
  ...['ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName', 'ImageInspectError'],
  ...['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'],
]

export function readPod(pod: V1Pod): PodState {
  const { metadata, status = {} } = pod
  if (metadata?.deletionTimestamp) return { kind: 'ending' }
  if (status.phase === 'Failed' || status.phase === 'Succeeded') return readEnded(pod)
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled')
  if (scheduled?.status === 'False') {
    return {
      kind: 'starting',
      note: `Kubernetes finds no room for it: ${withoutStop(scheduled.message)}.`,
    }
  }
  const inits = (status.initContainerStatuses ?? []).map((one) => readHelper(one, true))
  const others = (status.containerStatuses ?? []).filter(({ name }) => name !== AGENT)
  const agent = agentStatus(pod)
  const found = [
    ...inits,
    agent && readAgent(agent),
    ...others.map((one) => readHelper(one, false)),
  ]
  const worst = found.find((state) => state !== undefined && state.kind !== 'starting')
  if (worst) return worst
  if (isReady(pod)) return { kind: 'ready' }
  if (areContainersReady(pod)) return { kind: 'ready', isUnheard: true }
  const note = found.find((state) => state?.kind === 'starting')
  return note ?? { kind: 'starting' }
}

/** The status of the agent server's container. */
export function agentStatus({ status }: V1Pod): V1ContainerStatus | undefined {
  return status?.containerStatuses?.find(({ name }) => name === AGENT)
}

function isReady({ status }: V1Pod): boolean {
  return (
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false
  )
}

/** The cluster counts the pods of a silent node as not ready, and keeps the last status of their containers. */
function areContainersReady({ status }: V1Pod): boolean {
  const all = status?.containerStatuses ?? []
  return all.length > 0 && all.every(({ ready }) => ready)
}

/** The whole pod has ended: it was evicted, or its node is gone. The cluster makes another one. */
function readEnded(pod: V1Pod): PodState {
  const { reason, message } = pod.status ?? {}
  const end = agentStatus(pod)?.state?.terminated
  const why = message ?? (end ? endOf(end) : 'it ended')
  return {
    kind: 'down',
    reason: `Kubernetes has ended the pod: ${reason ? `${reason}: ` : ''}${withoutStop(why)}.`,
    container: AGENT,
    isPrevious: false,
    isOver: true,
  }
}

function readAgent(status: V1ContainerStatus): PodState | undefined {
  const { state = {}, lastState = {}, ready, restartCount } = status
  if (state.terminated) return down(state.terminated, AGENT, false)
  const isBackingOff = state.waiting?.reason === 'CrashLoopBackOff'
  if (lastState.terminated && (isBackingOff || (restartCount > 0 && !ready))) {
    return down(lastState.terminated, AGENT, !isBackingOff)
  }
  return readWaiting(state, AGENT)
}

/** The state of other containers: an init container has to end with 0, a sidecar must not end. */
function readHelper(status: V1ContainerStatus, isInit: boolean): PodState | undefined {
  const { name, state = {}, lastState = {} } = status
  const end = state.terminated ?? (state.waiting ? lastState.terminated : undefined)
  if (end && !(isInit && end.exitCode === 0)) {
    return down(end, name, state.terminated === undefined && !isBackOff(state))
  }
  return readWaiting(state, name)
}

function isBackOff({ waiting }: V1ContainerState): boolean {
  return waiting?.reason === 'CrashLoopBackOff'
}

function readWaiting({ waiting }: V1ContainerState, container: string): PodState | undefined {
  const { reason = '', message } = waiting ?? {}
  const why = `${reason}${message ? `: ${withoutStop(message)}` : ''}`
  if (IMPOSSIBLE.includes(reason)) {
    return { kind: 'impossible', reason: `${nameFor(container)} cannot be started: ${why}.` }
  }
  const says = reason !== '' && !['ContainerCreating', 'PodInitializing'].includes(reason)
  return says ? { kind: 'starting', note: `It waits: ${why}.` } : undefined
}

function down(end: V1ContainerStateTerminated, container: string, isPrevious: boolean): PodState {
  const reason = container === AGENT ? endOf(end) : `${nameFor(container)} ended: ${endOf(end)}`
  return { kind: 'down', reason, container, isPrevious }
}

function nameFor(container: string): string {
  return container === AGENT ? 'The agent server' : `The container ${container}`
}

/** Half a sentence. */
function endOf(end: V1ContainerStateTerminated): string {
  const isTooLarge = end.reason === 'OOMKilled'
  return isTooLarge ? 'it took more memory than its memory_limit_mb allows' : exitOf(end)
}

/** Half a sentence. */
export function exitOf({
  exitCode,
  signal,
}: Pick<V1ContainerStateTerminated, 'exitCode' | 'signal'>): string {
  const name = signalOf(signal ? 128 + signal : exitCode)
  return name ? `it was ended by ${name}` : `it ended with exit code ${exitCode}`
}

/** Why the cluster makes no pods for a Deployment, as a sentence; `undefined`: it does. */
export function replicaFailure({ status }: V1Deployment): string | undefined {
  const failure = status?.conditions?.find(
    ({ type, status: is }) => type === 'ReplicaFailure' && is === 'True',
  )
  return failure && `Kubernetes does not make its pods: ${withoutStop(failure.message)}.`
}

/** A message of the cluster without its full stop, if it has one. */
export function withoutStop(message = ''): string {
  return message.replace(/\.$/, '')
}

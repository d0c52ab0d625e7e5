/** Reads the state of a build from its Job and its pod, in words for a project's author. */
import type { V1ContainerStateTerminated, V1Job, V1Pod } from '@kubernetes/client-node'
import {
  type BuildJobEnd,
  type BuildJobLimits,
  readBuildJobEnd,
} from '../../core/deployment/builds/job.ts'
import { BUILD, deadlineSeconds } from './objects/build-job.ts'
import { exitOf, IMPOSSIBLE, withoutStop } from './pod-state.ts'

export type BuildState =
  /** `note`: the reason for the wait, if the cluster gives one. */
  | { kind: 'waiting'; note?: string }
  | { kind: 'running' }
  /** Its pod is gone or going, and gave no reason: one may follow in a moment. */
  | { kind: 'lost'; end: BuildJobEnd }
  | { kind: 'ended'; end: BuildJobEnd }

type Limits = Pick<BuildJobLimits, 'commandMs' | 'maxMemoryBytes'>

/** `pod`: `undefined` where there is none yet, or none any more. */
export function readBuild(job: V1Job, pod: V1Pod | undefined, limits: Limits): BuildState {
  const failure = job.status?.conditions?.find(
    ({ type, status }) => (type === 'Failed' || type === 'FailureTarget') && status === 'True',
  )
  const terminated = pod && buildStatus(pod)?.state?.terminated
  const said = terminated && readBuildJobEnd(terminated.message ?? '')
  if (said) return { kind: 'ended', end: said }
  if (failure?.reason === 'DeadlineExceeded') {
    return ended(
      `It took longer than ${deadlineSeconds(limits)} s in all and was ended${waited(pod)}`,
    )
  }
  if (pod?.status?.phase === 'Failed' && pod.status.reason) {
    const { reason, message = '' } = pod.status
    return ended(`Kubernetes has ended its pod: ${reason}${message && `: ${withoutStop(message)}`}`)
  }
  if (pod?.metadata?.deletionTimestamp) return { kind: 'lost', end: failed(GONE) }
  if (terminated) return ended(describeEnd(terminated, limits))
  if (failure) return { kind: 'lost', end: failed(GONE) }
  return pod ? readWaiting(pod) : { kind: 'waiting' }
}

/** Messages for a Job and a pod that are gone. */
export const JOB_GONE = failed('Its Job is gone from the cluster: somebody has deleted it')
const GONE = 'Its pod is gone: its node was lost or drained, or somebody has deleted the pod'

/** The status of the container that builds. */
export function buildStatus({ status }: V1Pod) {
  return status?.containerStatuses?.find(({ name }) => name === BUILD)
}

function readWaiting(pod: V1Pod): BuildState {
  const { state = {} } = buildStatus(pod) ?? {}
  if (state.running) return { kind: 'running' }
  const { reason = '', message } = state.waiting ?? {}
  const why = `${reason}${message ? `: ${withoutStop(message)}` : ''}`
  if (IMPOSSIBLE.includes(reason)) return ended(`Its container cannot be started: ${why}`)
  const note = noRoom(pod) ?? (['', 'ContainerCreating'].includes(reason) ? undefined : why)
  return { kind: 'waiting', ...(note !== undefined && { note }) }
}

function noRoom({ status }: V1Pod): string | undefined {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled')
  if (scheduled?.status !== 'False') return undefined
  return `Kubernetes finds no room for it: ${withoutStop(scheduled.message)}`
}

function waited(pod: V1Pod | undefined): string {
  const state = pod && readWaiting(pod)
  return state?.kind === 'waiting' && state.note !== undefined ? `. ${state.note}` : ''
}

function describeEnd(end: V1ContainerStateTerminated, { maxMemoryBytes }: Limits): string {
  if (end.reason === 'OOMKilled') {
    const mib = Math.round(maxMemoryBytes / 1024 ** 2)
    return `It took more than the ${mib} MiB of memory that a build may take and was ended`
  }
  return `The program that builds said nothing of its end: ${exitOf(end)}`
}

function ended(message: string): BuildState {
  return { kind: 'ended', end: failed(message) }
}

/** `message`: a sentence without its end. */
function failed(message: string): BuildJobEnd {
  return { kind: 'failed', step: 'job', message: `${message}.` }
}

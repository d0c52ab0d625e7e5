/** How the wire's states are shown: the word and its tone. */
import type { Revision } from '@runyard/client'
import type { Tone } from '../design/status.tsx'

export interface Meaning {
  word: string
  tone: Tone
}

export type RunStatus = 'pending' | 'running' | 'success' | 'error' | 'timeout' | 'interrupted'

const RUNS: Record<RunStatus, Meaning> = {
  pending: { word: 'Queued', tone: 'wait' },
  running: { word: 'Running', tone: 'live' },
  success: { word: 'Done', tone: 'good' },
  error: { word: 'Failed', tone: 'bad' },
  timeout: { word: 'Timed out', tone: 'bad' },
  interrupted: { word: 'Interrupted', tone: 'off' },
}

export type ThreadStatus = 'idle' | 'busy' | 'interrupted' | 'error'

const THREADS: Record<ThreadStatus, Meaning> = {
  idle: { word: 'Idle', tone: 'off' },
  busy: { word: 'Busy', tone: 'live' },
  interrupted: { word: 'Waiting for an answer', tone: 'wait' },
  error: { word: 'Failed', tone: 'bad' },
}

const REVISIONS: Record<Revision['status'], Meaning> = {
  CREATING: { word: 'Creating', tone: 'live' },
  QUEUED: { word: 'Queued', tone: 'wait' },
  AWAITING_BUILD: { word: 'Waits for its build', tone: 'wait' },
  BUILDING: { word: 'Building', tone: 'live' },
  AWAITING_DEPLOY: { word: 'Waits for its rollout', tone: 'wait' },
  DEPLOYING: { word: 'Deploying', tone: 'live' },
  DEPLOYED: { word: 'Deployed', tone: 'good' },
  CREATE_FAILED: { word: 'Could not be created', tone: 'bad' },
  BUILD_FAILED: { word: 'Build failed', tone: 'bad' },
  DEPLOY_FAILED: { word: 'Rollout failed', tone: 'bad' },
  INTERRUPTED: { word: 'Interrupted', tone: 'off' },
  SKIPPED: { word: 'Skipped', tone: 'off' },
  UNKNOWN: { word: 'Unknown', tone: 'off' },
}

/** `isWaiting`: the run stopped to ask, and its thread still waits for the answer. */
export function meaningOfRun(status: string, isWaiting = false): Meaning {
  if (isWaiting) return { word: 'Waiting for an answer', tone: 'wait' }
  return RUNS[status as RunStatus] ?? unknown(status)
}

export function meaningOfThread(status: string): Meaning {
  return THREADS[status as ThreadStatus] ?? unknown(status)
}

export function meaningOfRevision(status: string): Meaning {
  return REVISIONS[status as Revision['status']] ?? unknown(status)
}

function unknown(status: string): Meaning {
  return { word: status, tone: 'off' }
}

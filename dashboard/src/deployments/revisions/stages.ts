/**
 * A rollout in three stages, each with its time: `Queue` until the build begins, `Build`, and `Start` until it serves.
 */
import type { RevisionHistoryEntry, RevisionStatus } from '@runyard/client'

export const STAGES = ['Queue', 'Build', 'Start'] as const
export type StageName = (typeof STAGES)[number]

export interface Stage {
  name: StageName
  state: 'done' | 'live' | 'failed' | 'stopped' | 'open'
  /** ms since 1970; undefined: the stage has not begun. */
  from?: number
  /** undefined: the stage is in progress. */
  to?: number
}

type Step = RevisionHistoryEntry['steps'][number]

const STAGE_OF: Partial<Record<RevisionStatus, StageName>> = {
  CREATING: 'Queue',
  QUEUED: 'Queue',
  AWAITING_BUILD: 'Queue',
  BUILDING: 'Build',
  AWAITING_DEPLOY: 'Start',
  DEPLOYING: 'Start',
}

/** Empty if the revision's steps were not recorded. */
export function stagesOf(steps: readonly Step[]): Stage[] {
  const spans = STAGES.map((name) => spanOf(name, steps))
  if (spans.every(({ from }) => from === undefined)) return []
  const end = steps.find(({ status }) => STAGE_OF[status] === undefined)?.status
  return STAGES.map((name, index) => {
    const { from, to } = spans[index] ?? {}
    if (from === undefined) return { name, state: 'open' }
    if (to === undefined) return { name, state: 'live', from }
    const isLast = spans.slice(index + 1).every((later) => later.from === undefined)
    return { name, state: isLast ? stateAtEnd(end) : 'done', from, to }
  })
}

/** Duration of the rollout, in ms; undefined: it is not over, or its times are unknown. */
export function tookMs(steps: readonly Step[]): number | undefined {
  const end = steps.find(({ status }) => STAGE_OF[status] === undefined)
  const [first] = steps
  return first && end ? Date.parse(end.began_at) - Date.parse(first.began_at) : undefined
}

function spanOf(name: StageName, steps: readonly Step[]): { from?: number; to?: number } {
  const first = steps.findIndex(({ status }) => STAGE_OF[status] === name)
  const begun = steps[first]
  if (!begun) return {}
  const next = steps.slice(first).find(({ status }) => STAGE_OF[status] !== name)
  const from = Date.parse(begun.began_at)
  return next ? { from, to: Date.parse(next.began_at) } : { from }
}

function stateAtEnd(end: RevisionStatus | undefined): Stage['state'] {
  if (end === 'DEPLOYED') return 'done'
  return end?.endsWith('_FAILED') ? 'failed' : 'stopped'
}

import type { FoundRun } from '../api/runs.ts'
import { meaningOfRun } from '../api/states.ts'
import { Status } from '../design/status.tsx'

/** The status of a run in a list. */
export function RunStatusMark({ run }: { run: FoundRun }) {
  const { word, tone } = meaningOfRun(run.status, run.is_waiting)
  return <Status tone={tone}>{word}</Status>
}

import { meaningOfRun } from '../api/states.ts'
import { Status } from '../design/status.tsx'

/** The status of a run in a list. */
export function RunStatusMark({ run }: { run: { status: string; is_waiting?: boolean } }) {
  const { word, tone } = meaningOfRun(run.status, run.is_waiting)
  return <Status tone={tone}>{word}</Status>
}

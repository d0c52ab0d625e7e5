import { Link } from '@tanstack/react-router'
import type { AgentServer } from '../api/agent-server.tsx'
import { type Meaning, meaningOfRun } from '../api/states.ts'
import { Status } from '../design/status.tsx'
import { Time } from '../design/text/time.tsx'
import type { CronRun } from './queries.ts'

const OTHERS: Record<string, Meaning> = {
  refused: { word: 'Refused', tone: 'bad' },
  rolled_back: { word: 'Rolled back', tone: 'off' },
}

/** The outcome of the latest run. Links to the run; its thread may have been deleted. */
export function LastRun({ server, run }: { server: AgentServer; run: CronRun | null }) {
  if (!run) return <span className="text-ink-faint">None yet</span>
  const { word, tone } = OTHERS[run.status] ?? meaningOfRun(run.status)
  const told = (
    <span className="inline-flex items-center gap-2" title={run.error ?? undefined}>
      <Status tone={tone}>{word}</Status>
      <span className="text-ink-soft">
        <Time at={run.created_at} />
      </span>
    </span>
  )
  if (run.run_id === null || run.thread_id === null) return told
  return (
    <Link to={server.pages.run(run.thread_id, run.run_id) as string} className="hover:underline">
      {told}
    </Link>
  )
}

/** The log lines that the project and its servers wrote while they executed the run. */
import type { Timeline } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { pagesOf } from '../api/deployment-pages.ts'
import { LogLines } from '../deployments/logs/log-lines.tsx'
import { logTailQuery } from '../deployments/logs/queries.ts'
import { Section, TextLink } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'

/** Most lines shown; the logs page has all. */
const LINES = 200

/** How long after the run's end its last lines may arrive, in ms. */
const LATE_MS = 30_000

export function RunLog(props: { deployment_id: string; timeline: Timeline }) {
  const { deployment_id, timeline } = props
  const { run_id, ended_at } = timeline
  const query = useQuery({
    ...logTailQuery({ deployment_id, kind: 'deploy' }, LINES, { run_id }),
    refetchInterval: () => (ended_at === null || Date.now() < ended_at + LATE_MS ? 3_000 : false),
  })
  const all = `${pagesOf(deployment_id).logs}?run=${run_id}`
  return (
    <Section title="Log" actions={<TextLink to={all}>Open in Logs</TextLink>}>
      <QueryView query={query} what="the log of the run">
        {(entries) =>
          entries.length > 0 ? (
            <LogLines entries={entries} label="Log of the run" />
          ) : (
            <p className="text-ink-soft">Nothing was logged during this run.</p>
          )
        }
      </QueryView>
    </Section>
  )
}

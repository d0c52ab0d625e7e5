/** The log lines that the project and its servers wrote while they executed the run. */
import { useQuery } from '@tanstack/react-query'
import { LogLines } from '../deployments/logs/log-lines.tsx'
import { logTailQuery } from '../deployments/logs/queries.ts'
import { Section, TextLink } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'

/** Most lines shown; the logs page has all. */
const LINES = 200

export function RunLog({ deployment_id, run_id }: { deployment_id: string; run_id: string }) {
  const query = useQuery({
    ...logTailQuery({ deployment_id, kind: 'deploy' }, LINES, { run_id }),
    refetchInterval: 3_000,
  })
  const all = `/deployments/${deployment_id}/logs?run=${run_id}`
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

/** All fields of a cron. */
import type { AgentServer } from '../api/agent-server.tsx'
import { Dialog } from '../design/dialog.tsx'
import { JsonView } from '../design/json/view.tsx'
import { Facts, TextLink } from '../design/page.tsx'
import { Id } from '../design/text/id.tsx'
import { Time } from '../design/text/time.tsx'
import { LastRun } from './last-run.tsx'
import { NextTimes } from './next-times.tsx'
import type { Cron } from './queries.ts'
import { scheduleText } from './schedule.ts'

export function CronDialog(props: { server: AgentServer; cron: Cron; onClose: () => void }) {
  const { server, cron } = props
  const { last_run } = cron
  return (
    <Dialog title={scheduleText(cron.schedule)} size="wide" isOpen onClose={props.onClose}>
      <div className="grid gap-6 md:grid-cols-2">
        <Facts
          facts={[
            ['Schedule', <code key="s">{cron.schedule}</code>],
            ['Time zone', cron.timezone ?? 'UTC'],
            ['Cron', <Id key="c" id={cron.cron_id} />],
            ['Thread', <Thread key="t" server={server} cron={cron} />],
            ['Ends', cron.end_time ? <Time key="e" at={cron.end_time} /> : 'Never'],
            ['Created', <Time key="m" at={cron.created_at} />],
            ['Last run', <LastRun key="l" server={server} run={last_run ?? null} />],
            ...(last_run?.error ? ([['Its error', last_run.error]] as const) : []),
          ]}
        />
        <NextTimes
          schedule={cron.enabled ? cron.schedule : ''}
          timezone={cron.timezone ?? null}
          count={5}
        />
      </div>
      <h3 className="mt-5 mb-1 font-medium">What its runs are made with</h3>
      <JsonView value={cron.payload} />
      {Object.keys(cron.metadata ?? {}).length > 0 && (
        <>
          <h3 className="mt-4 mb-1 font-medium">Metadata</h3>
          <JsonView value={cron.metadata} />
        </>
      )}
    </Dialog>
  )
}

function Thread({ server, cron }: { server: AgentServer; cron: Cron }) {
  if (cron.thread_id) {
    return <TextLink to={server.pages.thread(cron.thread_id)}>{cron.thread_id}</TextLink>
  }
  return cron.on_run_completed === 'keep'
    ? 'A new one each time, which is kept'
    : 'A new one each time, removed after the run'
}

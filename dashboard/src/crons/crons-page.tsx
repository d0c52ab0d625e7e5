import { z } from 'zod'
import type { AgentServer } from '../api/agent-server.tsx'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Plus } from '../design/icon.gen.tsx'
import { JsonView } from '../design/json/view.tsx'
import { Facts, TextLink } from '../design/page.tsx'
import { Id } from '../design/text/id.tsx'
import { Time } from '../design/text/time.tsx'
import { addressText, useAddress } from '../shell/address.ts'
import { AllRows, ServersPage } from '../shell/servers-page.tsx'
import { Talks } from '../shell/talks.tsx'
import { CronsTable } from './crons-table.tsx'
import { LastRun } from './last-run.tsx'
import { NewCronDialog } from './new-cron-dialog.tsx'
import { NextTimes } from './next-times.tsx'
import { type Cron, cronsQuery } from './queries.ts'
import { scheduleText } from './schedule.ts'

const searchSchema = z.object({
  /** The cron whose details are open. */
  cron: addressText,
  /** The form for a new one is open. */
  new: z.literal(true).optional().catch(undefined),
})

export function CronsPage() {
  const [, change] = useAddress(searchSchema)
  return (
    <ServersPage
      title="Crons"
      actions={
        <Talks>
          <Button kind="primary" icon={<Plus size={14} />} onPress={() => change({ new: true })}>
            New cron
          </Button>
        </Talks>
      }
    >
      {(servers) => <Crons servers={servers} />}
    </ServersPage>
  )
}

function Crons({ servers }: { servers: readonly AgentServer[] }) {
  const [search, change] = useAddress(searchSchema)
  return (
    <>
      <AllRows servers={servers} query={cronsQuery} what="the crons">
        {(crons) => {
          const open = crons.find(({ cron_id }) => cron_id === search.cron)
          return (
            <>
              <CronsTable
                servers={servers}
                crons={crons.toSorted((a, b) => b.created_at.localeCompare(a.created_at))}
                onOpen={({ cron_id }) => change({ cron: cron_id })}
              />
              {open && (
                <CronDialog
                  server={open.server}
                  cron={open}
                  onClose={() => change({ cron: undefined })}
                />
              )}
            </>
          )
        }}
      </AllRows>
      {search.new && (
        <Talks>
          <NewCronDialog servers={servers} onClose={() => change({ new: undefined })} />
        </Talks>
      )}
    </>
  )
}

function CronDialog(props: { server: AgentServer; cron: Cron; onClose: () => void }) {
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
            ...(last_run?.error ? ([['Error of the last run', last_run.error]] as const) : []),
          ]}
        />
        <NextTimes
          schedule={cron.enabled ? cron.schedule : ''}
          timezone={cron.timezone ?? null}
          count={5}
        />
      </div>
      <h3 className="mt-5 mb-1 font-medium">Payload of its runs</h3>
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
    ? 'A new one for each run, kept'
    : 'A new one for each run, deleted after it'
}

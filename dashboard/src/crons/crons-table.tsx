import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { assistantsQuery } from '../api/assistants.ts'
import { IconButton } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { ConfirmDialog } from '../design/form-dialog.tsx'
import { Ellipsis, Pause, Play, Trash2 } from '../design/icon.gen.tsx'
import { Menu, MenuItem } from '../design/menu.tsx'
import { Status } from '../design/status.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Time } from '../design/text/time.tsx'
import { toast } from '../design/toast.tsx'
import { Talks } from '../shell/talks.tsx'
import { LastRun } from './last-run.tsx'
import { type Cron, runNow, useCronAction } from './queries.ts'
import { scheduleText } from './schedule.ts'

export function CronsTable(props: {
  server: AgentServer
  crons: readonly Cron[]
  onOpen: (cron: Cron) => void
}) {
  const { server, crons } = props
  const { data: assistants } = useQuery(assistantsQuery(server))
  const [deleting, setDeleting] = useState<Cron>()
  const action = useCronAction(server)
  const nameOf = (id: string) => assistants?.find((one) => one.assistant_id === id)?.name
  const columns: readonly Column<Cron>[] = [
    {
      id: 'schedule',
      header: 'Schedule',
      isRowHeader: true,
      cell: (cron) => (
        <button
          type="button"
          className="text-left hover:underline"
          onClick={() => props.onOpen(cron)}
        >
          <span className="block font-medium">{scheduleText(cron.schedule)}</span>
          <span className="block text-sm text-ink-faint">
            <code>{cron.schedule}</code> · {cron.timezone ?? 'UTC'}
          </span>
        </button>
      ),
    },
    {
      id: 'assistant',
      header: 'Assistant',
      from: 'sm',
      cell: ({ assistant_id }) => nameOf(assistant_id) ?? <code>{assistant_id.slice(0, 8)}</code>,
    },
    {
      id: 'next',
      header: 'Next run',
      cell: ({ enabled, next_run_date }) => <Next isEnabled={enabled} at={next_run_date} />,
    },
    {
      id: 'last',
      header: 'Last run',
      from: 'md',
      cell: ({ last_run }) => <LastRun server={server} run={last_run ?? null} />,
    },
    {
      id: 'thread',
      header: 'Thread',
      from: 'lg',
      cell: ({ thread_id, on_run_completed }) => {
        if (thread_id) return <code>{thread_id.slice(0, 8)}</code>
        return on_run_completed === 'keep' ? 'Its own, kept' : 'Its own, removed'
      },
    },
    {
      id: 'actions',
      header: 'Actions',
      align: 'right',
      cell: (cron) => (
        <Talks>
          <CronMenu
            cron={cron}
            onRun={() =>
              action.mutate(async () => {
                await runNow(server, cron)
                toast('The run is on its way.')
              })
            }
            onSwitch={() =>
              action.mutate(() =>
                server.client.crons.update(cron.cron_id, { enabled: !cron.enabled }),
              )
            }
            onDelete={() => setDeleting(cron)}
          />
        </Talks>
      ),
    },
  ]
  return (
    <>
      <Table
        label="Crons"
        columns={columns}
        rows={crons}
        keyOf={({ cron_id }) => cron_id}
        empty={
          <Empty title="No crons here">
            A cron starts a run again and again, at the times of a schedule: a report each morning,
            a check every five minutes.
          </Empty>
        }
      />
      {deleting && (
        <ConfirmDialog
          title="Delete the cron?"
          verb="Delete"
          isOpen
          onClose={() => setDeleting(undefined)}
          onConfirm={() => action.mutateAsync(() => server.client.crons.delete(deleting.cron_id))}
        >
          <p>
            It will not run any more ({scheduleText(deleting.schedule)}). Runs that it has started
            go on.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

function Next({ isEnabled, at }: { isEnabled: boolean; at: string | null | undefined }) {
  if (!isEnabled) return <Status tone="off">Paused</Status>
  return at ? <Time at={at} /> : <span className="text-ink-faint">Never again</span>
}

function CronMenu(props: {
  cron: Cron
  onRun: () => void
  onSwitch: () => void
  onDelete: () => void
}) {
  const { enabled, schedule } = props.cron
  const label = `Actions for ${scheduleText(schedule)}`
  return (
    <Menu trigger={<IconButton label={label} icon={<Ellipsis size={16} />} />}>
      <MenuItem icon={<Play size={14} />} onAction={props.onRun}>
        Run now
      </MenuItem>
      <MenuItem icon={enabled ? <Pause size={14} /> : <Play size={14} />} onAction={props.onSwitch}>
        {enabled ? 'Pause' : 'Resume'}
      </MenuItem>
      <MenuItem icon={<Trash2 size={14} />} isDanger onAction={props.onDelete}>
        Delete
      </MenuItem>
    </Menu>
  )
}

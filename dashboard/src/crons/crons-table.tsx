import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type AgentServer, atAGlance } from '../api/agent-server.tsx'
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
import { type OfServer, serverColumns } from '../shell/servers-page.tsx'
import { Talks } from '../shell/talks.tsx'
import { LastRun } from './last-run.tsx'
import { type Cron, runNow, useCronAction } from './queries.ts'
import { scheduleText } from './schedule.ts'

export function CronsTable(props: {
  servers: readonly AgentServer[]
  crons: readonly OfServer<Cron>[]
  onOpen: (cron: Cron) => void
}) {
  const { servers, crons } = props
  const [deleting, setDeleting] = useState<OfServer<Cron>>()
  const columns: readonly Column<OfServer<Cron>>[] = [
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
    ...serverColumns<Cron>(servers),
    {
      id: 'assistant',
      header: 'Assistant',
      from: 'sm',
      cell: (cron) => <Assistant {...cron} />,
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
      cell: ({ server, last_run }) => <LastRun server={server} run={last_run ?? null} />,
    },
    {
      id: 'thread',
      header: 'Thread',
      from: 'lg',
      cell: ({ thread_id, on_run_completed }) => {
        if (thread_id) return <code>{thread_id.slice(0, 8)}</code>
        return on_run_completed === 'keep' ? 'New, kept' : 'New, deleted'
      },
    },
    {
      id: 'actions',
      header: 'Actions',
      align: 'right',
      cell: (cron) => (
        <Talks>
          <CronMenu cron={cron} onDelete={() => setDeleting(cron)} />
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
          <Empty title="No crons">
            A cron starts a run at the times of a schedule: a report each morning, a check every
            five minutes.
          </Empty>
        }
      />
      {deleting && <DeleteDialog cron={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  )
}

function DeleteDialog({ cron, onClose }: { cron: OfServer<Cron>; onClose: () => void }) {
  const { server, cron_id, schedule } = cron
  const action = useCronAction(server)
  return (
    <ConfirmDialog
      title="Delete the cron?"
      verb="Delete"
      isOpen
      onClose={onClose}
      onConfirm={() => action.mutateAsync(() => server.client.crons.delete(cron_id))}
    >
      <p>It starts no more runs ({scheduleText(schedule)}). Runs that it has started continue.</p>
    </ConfirmDialog>
  )
}

function Assistant({ server, assistant_id }: OfServer<Cron>) {
  const { data } = useQuery(assistantsQuery(atAGlance(server)))
  const name = data?.find((one) => one.assistant_id === assistant_id)?.name
  return name ?? <code>{assistant_id.slice(0, 8)}</code>
}

function Next({ isEnabled, at }: { isEnabled: boolean; at: string | null | undefined }) {
  if (!isEnabled) return <Status tone="off">Paused</Status>
  return at ? <Time at={at} /> : <span className="text-ink-faint">Never</span>
}

function CronMenu({ cron, onDelete }: { cron: OfServer<Cron>; onDelete: () => void }) {
  const { server, cron_id, enabled, schedule } = cron
  const action = useCronAction(server)
  const navigate = useNavigate()
  const run = async () => {
    const { thread_id, run_id } = await runNow(server, cron)
    toast('The run has started.', {
      action: ['Open', () => void navigate({ to: server.pages.run(thread_id, run_id) })],
    })
  }
  const switchIt = () => server.client.crons.update(cron_id, { enabled: !enabled })
  const label = `Actions for ${scheduleText(schedule)}`
  return (
    <Menu trigger={<IconButton label={label} icon={<Ellipsis size={16} />} />}>
      <MenuItem icon={<Play size={14} />} onAction={() => action.mutate(run)}>
        Run now
      </MenuItem>
      <MenuItem
        icon={enabled ? <Pause size={14} /> : <Play size={14} />}
        onAction={() => action.mutate(switchIt)}
      >
        {enabled ? 'Pause' : 'Resume'}
      </MenuItem>
      <MenuItem icon={<Trash2 size={14} />} isDanger onAction={onDelete}>
        Delete
      </MenuItem>
    </Menu>
  )
}

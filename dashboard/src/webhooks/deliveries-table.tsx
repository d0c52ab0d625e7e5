import type { WebhookDelivery as Delivery } from '@runyard/client'
import type { AgentServer } from '../api/agent-server.tsx'
import { IconButton } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { RotateCw } from '../design/icon.gen.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Time } from '../design/text/time.tsx'
import { Tooltip } from '../design/tooltip.tsx'
import { Talks } from '../shell/talks.tsx'
import { DeliveryStatusMark } from './delivery-status.tsx'
import { useRedeliver } from './queries.ts'

export function DeliveriesTable(props: {
  server: AgentServer
  deliveries: readonly Delivery[]
  isFiltered: boolean
  onOpen: (delivery: Delivery) => void
}) {
  const redeliver = useRedeliver(props.server)
  const columns: readonly Column<Delivery>[] = [
    {
      id: 'status',
      header: 'Status',
      cell: (delivery) => <DeliveryStatusMark delivery={delivery} />,
    },
    {
      id: 'url',
      header: 'To',
      isRowHeader: true,
      isWide: true,
      cell: (delivery) => (
        <button
          type="button"
          title={delivery.url}
          className="max-w-full truncate text-left align-bottom font-mono text-sm hover:underline"
          onClick={() => props.onOpen(delivery)}
        >
          {delivery.url}
        </button>
      ),
    },
    {
      id: 'answer',
      header: 'Answer',
      from: 'md',
      cell: ({ response_status, error }) => (
        <span title={error ?? undefined} className="block max-w-64 truncate">
          {response_status ?? error ?? <span className="text-ink-faint">None yet</span>}
        </span>
      ),
    },
    { id: 'attempt', header: 'Attempts', align: 'right', from: 'sm', cell: (one) => one.attempt },
    {
      id: 'next',
      header: 'Next attempt',
      from: 'lg',
      cell: ({ status, next_attempt_at }) =>
        status === 'pending' && next_attempt_at ? <Time at={next_attempt_at} /> : '–',
    },
    { id: 'when', header: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      id: 'actions',
      header: 'Actions',
      align: 'right',
      cell: (delivery) => (
        <Talks>
          <Tooltip text="Send it again">
            <IconButton
              label={`Send again: ${delivery.url}`}
              icon={<RotateCw size={14} />}
              onPress={() => redeliver.mutate(delivery)}
            />
          </Tooltip>
        </Talks>
      ),
    },
  ]
  return (
    <Table
      label="Deliveries"
      columns={columns}
      rows={props.deliveries}
      keyOf={({ delivery_id }) => delivery_id}
      empty={
        <Empty title={props.isFiltered ? 'None has this status' : 'No webhooks were sent'}>
          A run that is created with a <code>webhook</code> tells that URL of its end. Each delivery
          stands here, with its attempts.
        </Empty>
      }
    />
  )
}

import type { WebhookDelivery as Delivery } from '@runyard/client'
import type { AgentServer } from '../api/agent-server.tsx'
import { IconButton } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { RotateCw } from '../design/icon.gen.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Time } from '../design/text/time.tsx'
import { Tooltip } from '../design/tooltip.tsx'
import { type OfServer, serverColumns } from '../shell/servers-page.tsx'
import { Talks } from '../shell/talks.tsx'
import { DeliveryStatusMark } from './delivery-status.tsx'
import { useRedeliver } from './queries.ts'

export function DeliveriesTable(props: {
  servers: readonly AgentServer[]
  deliveries: readonly OfServer<Delivery>[]
  isFiltered: boolean
  onOpen: (delivery: OfServer<Delivery>) => void
}) {
  const columns: readonly Column<OfServer<Delivery>>[] = [
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
    ...serverColumns<Delivery>(props.servers, { from: 'sm' }),
    {
      id: 'answer',
      header: 'Response',
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
      from: 'sm',
      cell: (delivery) => (
        <Talks>
          <SendAgain delivery={delivery} />
        </Talks>
      ),
    },
  ]
  return (
    <Table
      label="Webhook deliveries"
      columns={columns}
      rows={props.deliveries}
      keyOf={({ delivery_id }) => delivery_id}
      empty={
        <Empty title={props.isFiltered ? 'No delivery has this status' : 'No deliveries'}>
          The end of a run is sent to its <code>webhook</code> and to the webhooks in its
          deployment's settings.
        </Empty>
      }
    />
  )
}

function SendAgain({ delivery }: { delivery: OfServer<Delivery> }) {
  const redeliver = useRedeliver(delivery.server)
  return (
    <Tooltip text="Send again">
      <IconButton
        label={`Send again: ${delivery.url}`}
        icon={<RotateCw size={14} />}
        onPress={() => redeliver.mutate(delivery)}
      />
    </Tooltip>
  )
}

import type { WebhookDelivery as Delivery } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { askAgent } from '../api/agent-request.ts'
import type { AgentServer } from '../api/agent-server.tsx'
import { Button } from '../design/button.tsx'
import { reasonOf } from '../design/error-note.tsx'
import { Section } from '../design/page.tsx'
import { Status } from '../design/status.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Time } from '../design/text/time.tsx'
import { toast } from '../design/toast.tsx'
import { Talks } from '../shell/talks.tsx'
import { deliveriesQuery } from './queries.ts'

const WORDS = {
  pending: { tone: 'wait', word: 'To be sent' },
  delivered: { tone: 'good', word: 'Delivered' },
  failed: { tone: 'bad', word: 'Failed' },
} as const

/** The webhook deliveries of a run; renders nothing without a webhook. */
export function DeliveriesView({ server, run_id }: { server: AgentServer; run_id: string }) {
  const query = useQuery(deliveriesQuery(server, run_id))
  if (!query.data || query.data.length === 0) return null
  const again = async ({ delivery_id }: Delivery) => {
    try {
      await askAgent(server, 'POST', `/webhooks/deliveries/${delivery_id}/redeliver`)
      toast('It is sent again.')
    } catch (error) {
      toast(reasonOf(error), { tone: 'bad' })
    }
    void query.refetch()
  }
  const columns: readonly Column<Delivery>[] = [
    {
      id: 'status',
      header: 'Status',
      cell: ({ status }) => <Status tone={WORDS[status].tone}>{WORDS[status].word}</Status>,
    },
    {
      id: 'url',
      header: 'To',
      isRowHeader: true,
      isWide: true,
      cell: ({ url }) => <code title={url}>{url}</code>,
    },
    {
      id: 'answer',
      header: 'Answer',
      from: 'md',
      cell: ({ response_status, error }) => response_status ?? error ?? 'None yet',
    },
    {
      id: 'attempt',
      header: 'Attempts',
      align: 'right',
      from: 'sm',
      cell: ({ attempt }) => attempt,
    },
    {
      id: 'when',
      header: 'Created',
      from: 'sm',
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
      id: 'again',
      header: '',
      cell: (one) => (
        <Talks>
          <Button size="sm" onPress={() => void again(one)}>
            Send again
          </Button>
        </Talks>
      ),
    },
  ]
  return (
    <Section title="Webhooks">
      <Table
        label="Webhook deliveries"
        columns={columns}
        rows={query.data}
        keyOf={({ delivery_id }) => delivery_id}
      />
    </Section>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { Section } from '../design/page.tsx'
import { DeliveriesTable } from '../webhooks/deliveries-table.tsx'
import { DeliveryDialog } from '../webhooks/delivery-dialog.tsx'
import { deliveriesQuery } from './queries.ts'

/** The webhook deliveries of a run; renders nothing without a webhook. */
export function DeliveriesView({ server, run_id }: { server: AgentServer; run_id: string }) {
  const { data = [] } = useQuery(deliveriesQuery(server, run_id))
  const [open, setOpen] = useState<string>()
  if (data.length === 0) return null
  return (
    <Section title="Webhooks">
      <DeliveriesTable
        servers={[server]}
        deliveries={data.map((one) => ({ ...one, server }))}
        isFiltered={false}
        onOpen={({ delivery_id }) => setOpen(delivery_id)}
      />
      {open && <DeliveryDialog server={server} id={open} onClose={() => setOpen(undefined)} />}
    </Section>
  )
}

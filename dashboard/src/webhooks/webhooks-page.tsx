import { z } from 'zod'
import type { AgentServer } from '../api/agent-server.tsx'
import { addressText, useAddress } from '../shell/address.ts'
import { ChoiceFilter, Filters } from '../shell/filters.tsx'
import { pageOf } from '../shell/row-pages.ts'
import { AllRows, Pages, ServersPage } from '../shell/servers-page.tsx'
import { DeliveriesTable } from './deliveries-table.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { DELIVERY_STATUSES, deliveriesQuery, PAGE_SIZE } from './queries.ts'

const searchSchema = z.object({
  status: z.enum(DELIVERY_STATUSES).optional().catch(undefined),
  page: z.coerce.number().int().min(0).default(0).catch(0),
  /** The delivery whose details are open, and the id of its deployment. */
  delivery: addressText,
  of: addressText,
})

const CHOICES = [
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
] as const

export function WebhooksPage() {
  return <ServersPage title="Webhooks">{(servers) => <Deliveries servers={servers} />}</ServersPage>
}

function Deliveries({ servers }: { servers: readonly AgentServer[] }) {
  const [{ status, page, delivery, of: key }, change] = useAddress(searchSchema)
  const { ask, of } = pageOf(servers, page, PAGE_SIZE)
  const server = key === undefined ? servers[0] : servers.find((one) => one.key === key)
  return (
    <>
      <Filters>
        <ChoiceFilter
          label="Status"
          any="Any status"
          value={status}
          onChange={(value) => change({ status: value, page: 0 })}
          choices={CHOICES}
        />
      </Filters>
      <AllRows
        servers={servers}
        query={(server) => deliveriesQuery(server, { status, ask })}
        what="the deliveries"
      >
        {(found) => {
          const rows = found.toSorted((a, b) => b.created_at.localeCompare(a.created_at))
          return (
            <>
              <DeliveriesTable
                servers={servers}
                deliveries={of(rows).rows}
                isFiltered={status !== undefined}
                onOpen={({ delivery_id, server }) =>
                  change({ delivery: delivery_id, of: server.deploymentId })
                }
              />
              <Pages
                page={page}
                hasMore={of(rows).hasMore}
                onPage={(next) => change({ page: next })}
              />
              {delivery && server && (
                <DeliveryDialog
                  server={server}
                  id={delivery}
                  onClose={() => change({ delivery: undefined, of: undefined })}
                />
              )}
            </>
          )
        }}
      </AllRows>
    </>
  )
}

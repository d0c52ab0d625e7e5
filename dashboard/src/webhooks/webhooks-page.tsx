import { z } from 'zod'
import type { AgentServer } from '../api/agent-server.tsx'
import { Button } from '../design/button.tsx'
import { SelectField } from '../design/field.tsx'
import { addressText, useAddress } from '../shell/address.ts'
import { pageOf } from '../shell/row-pages.ts'
import { AllRows, ServersPage } from '../shell/servers-page.tsx'
import { DeliveriesTable } from './deliveries-table.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { DELIVERY_STATUSES, deliveriesQuery, PAGE_SIZE } from './queries.ts'

const searchSchema = z.object({
  status: z.enum(DELIVERY_STATUSES).optional().catch(undefined),
  page: z.coerce.number().int().min(0).default(0).catch(0),
  /** The delivery whose details are open. */
  delivery: addressText,
})

const ANY = 'any'
const CHOICES = [
  { value: ANY, label: 'Any status' },
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
] as const

export function WebhooksPage() {
  return <ServersPage title="Webhooks">{(servers) => <Deliveries servers={servers} />}</ServersPage>
}

function Deliveries({ servers }: { servers: readonly AgentServer[] }) {
  const [{ status, page, delivery }, change] = useAddress(searchSchema)
  const { ask, of } = pageOf(servers, page, PAGE_SIZE)
  return (
    <>
      <div className="mb-3 flex w-48">
        <SelectField
          label="Status"
          isLabelHidden
          value={status ?? ANY}
          onChange={(value) => change({ status: value === ANY ? undefined : value, page: 0 })}
          choices={CHOICES}
        />
      </div>
      <AllRows
        servers={servers}
        query={(server) => deliveriesQuery(server, { status, ask })}
        what="the deliveries"
      >
        {(found) => {
          const rows = found.toSorted((a, b) => b.created_at.localeCompare(a.created_at))
          const open = rows.find(({ delivery_id }) => delivery_id === delivery)?.server
          const only = servers.length === 1 ? servers[0] : undefined
          const server = open ?? only
          return (
            <>
              <DeliveriesTable
                servers={servers}
                deliveries={of(rows).rows}
                isFiltered={status !== undefined}
                onOpen={({ delivery_id }) => change({ delivery: delivery_id })}
              />
              <Pages
                page={page}
                hasMore={of(rows).hasMore}
                onChange={(next) => change({ page: next })}
              />
              {delivery && server && (
                <DeliveryDialog
                  server={server}
                  id={delivery}
                  onClose={() => change({ delivery: undefined })}
                />
              )}
            </>
          )
        }}
      </AllRows>
    </>
  )
}

function Pages(props: { page: number; hasMore: boolean; onChange: (page: number) => void }) {
  const { page, hasMore, onChange } = props
  if (page === 0 && !hasMore) return null
  return (
    <nav aria-label="Pages" className="mt-3 flex justify-end gap-2">
      <Button size="sm" isDisabled={page === 0} onPress={() => onChange(page - 1)}>
        Newer
      </Button>
      <Button size="sm" isDisabled={!hasMore} onPress={() => onChange(page + 1)}>
        Older
      </Button>
    </nav>
  )
}

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import type { AgentServer } from '../api/agent-server.tsx'
import { Button } from '../design/button.tsx'
import { SelectField } from '../design/field.tsx'
import { QueryView } from '../design/query-view.tsx'
import { addressText, useAddress } from '../shell/address.ts'
import { ServerPage } from '../shell/server-choice.tsx'
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
  { value: ANY, label: 'All deliveries' },
  { value: 'pending', label: 'To be sent' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
] as const

export function WebhooksPage() {
  return <ServerPage title="Webhooks">{(server) => <Deliveries server={server} />}</ServerPage>
}

function Deliveries({ server }: { server: AgentServer }) {
  const [{ status, page, delivery }, change] = useAddress(searchSchema)
  const query = useQuery({
    ...deliveriesQuery(server, { status, page }),
    placeholderData: keepPreviousData,
  })
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
      <QueryView query={query} what="the deliveries">
        {(found) => (
          <>
            <DeliveriesTable
              server={server}
              deliveries={found.slice(0, PAGE_SIZE)}
              isFiltered={status !== undefined}
              onOpen={({ delivery_id }) => change({ delivery: delivery_id })}
            />
            <Pages
              page={page}
              hasMore={found.length > PAGE_SIZE}
              onChange={(next) => change({ page: next })}
            />
          </>
        )}
      </QueryView>
      {delivery && (
        <DeliveryDialog
          server={server}
          id={delivery}
          onClose={() => change({ delivery: undefined })}
        />
      )}
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

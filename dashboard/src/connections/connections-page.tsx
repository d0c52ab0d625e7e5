/** OAuth: the providers, the user's connected accounts, and the agents that use them. */
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { useMay } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { Plus } from '../design/icon.gen.tsx'
import { Page, Section } from '../design/page.tsx'
import { QueryView } from '../design/query-view.tsx'
import { addressText, useAddress } from '../shell/address.ts'
import { AccountsTable } from './accounts-table.tsx'
import { AgentConnections } from './agent-connections.tsx'
import { EventsTable } from './events-table.tsx'
import { NewProviderDialog } from './new-provider-dialog.tsx'
import { ProvidersTable } from './providers-table.tsx'
import { accountsQuery, eventsQuery, providersQuery } from './queries.ts'

const searchSchema = z.object({
  /** The agent whose connections are shown. */
  agent: addressText,
  /** The form for a new provider is open. */
  new: z.literal(true).optional().catch(undefined),
})

export function ConnectionsPage() {
  const [search, change] = useAddress(searchSchema)
  const mayWrite = useMay('write')
  const providers = useQuery(providersQuery())
  const accounts = useQuery(accountsQuery())
  const events = useQuery(eventsQuery())
  return (
    <Page
      title="Connections"
      actions={
        mayWrite && (
          <Button kind="primary" icon={<Plus size={14} />} onPress={() => change({ new: true })}>
            New provider
          </Button>
        )
      }
    >
      <Section title="Providers">
        <QueryView query={providers} what="the providers">
          {({ own, platform }) => (
            <ProvidersTable own={own} platform={platform} mayWrite={mayWrite} />
          )}
        </QueryView>
      </Section>
      <Section title="Your accounts">
        <QueryView query={accounts} what="your accounts">
          {(found) => <AccountsTable accounts={found} />}
        </QueryView>
      </Section>
      <Section title="Agents">
        <AgentConnections
          agent={search.agent ?? ''}
          accounts={accounts.data ?? []}
          onAgent={(agent) => change({ agent: agent || undefined }, { replace: true })}
        />
      </Section>
      <Section title="What happened">
        <QueryView query={events} what="what happened to your accounts">
          {(found) => <EventsTable events={found} />}
        </QueryView>
      </Section>
      {search.new && <NewProviderDialog onClose={() => change({ new: undefined })} />}
    </Page>
  )
}

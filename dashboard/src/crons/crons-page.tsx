import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { z } from 'zod'
import type { AgentServer } from '../api/agent-server.tsx'
import { Button } from '../design/button.tsx'
import { QueryView } from '../design/query-view.tsx'
import { addressText, useAddress } from '../shell/address.ts'
import { ServerPage } from '../shell/server-choice.tsx'
import { Talks } from '../shell/talks.tsx'
import { CronDialog } from './cron-dialog.tsx'
import { CronsTable } from './crons-table.tsx'
import { NewCronDialog } from './new-cron-dialog.tsx'
import { cronsQuery } from './queries.ts'

const searchSchema = z.object({
  /** The cron whose details are open. */
  cron: addressText,
  /** The form for a new one is open. */
  new: z.literal(true).optional().catch(undefined),
})

export function CronsPage() {
  const [, change] = useAddress(searchSchema)
  return (
    <ServerPage
      title="Crons"
      actions={() => (
        <Talks>
          <Button kind="primary" icon={<Plus size={14} />} onPress={() => change({ new: true })}>
            New cron
          </Button>
        </Talks>
      )}
    >
      {(server) => <Crons server={server} />}
    </ServerPage>
  )
}

function Crons({ server }: { server: AgentServer }) {
  const query = useQuery(cronsQuery(server))
  const [search, change] = useAddress(searchSchema)
  const open = query.data?.find(({ cron_id }) => cron_id === search.cron)
  return (
    <>
      <QueryView query={query} what="the crons">
        {(crons) => (
          <CronsTable
            server={server}
            crons={crons}
            onOpen={({ cron_id }) => change({ cron: cron_id })}
          />
        )}
      </QueryView>
      {open && (
        <CronDialog server={server} cron={open} onClose={() => change({ cron: undefined })} />
      )}
      {search.new && (
        <Talks>
          <NewCronDialog server={server} onClose={() => change({ new: undefined })} />
        </Talks>
      )}
    </>
  )
}

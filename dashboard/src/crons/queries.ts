import type { Cron as SdkCron } from '@langchain/langgraph-sdk'
import { queryOptions } from '@tanstack/react-query'
import { askAgent } from '../api/agent-request.ts'
import type { AgentServer } from '../api/agent-server.tsx'
import { readAgain } from '../api/read-again.ts'
import { useChange } from '../api/use-change.ts'
import { toastError } from '../design/toast.tsx'

/** The last run of a cron and its outcome; Runyard returns it beside the SDK's own fields. */
export interface CronRun {
  run_id: string | null
  thread_id: string | null
  created_at: string
  status: string
  error: string | null
}

export interface Cron extends SdkCron {
  last_run?: CronRun | null
}

/** Largest number of crons shown. */
const MOST = 200

export function cronsQuery(server: AgentServer) {
  return queryOptions({
    queryKey: [server.key, 'crons'],
    queryFn: (context): Promise<Cron[]> =>
      readAgain(server, context, ({ client }) =>
        client.crons.search({ limit: MOST, signal: context.signal }),
      ),
    refetchInterval: 5_000,
  })
}

/** An action on a cron; the list is read again after it. */
export function useCronAction(server: AgentServer) {
  return useChange([server.key, 'crons'], toastError)
}

export function runNow(server: AgentServer, { cron_id }: Cron) {
  return askAgent<{ run_id: string; thread_id: string }>(
    server,
    'POST',
    `/runs/crons/${cron_id}/run`,
  )
}

import { queryOptions } from '@tanstack/react-query'
import type { AgentServer } from './agent-server.tsx'
import { readAgain } from './read-again.ts'
import { searchRuns } from './runs.ts'

/** The latest 100 runs of a thread, newest first. */
export function threadRunsQuery(server: AgentServer, thread_id: string) {
  return queryOptions({
    // The Studio caches its own list under `runs`, in another shape.
    queryKey: [server.key, 'threads', thread_id, 'latest runs'],
    queryFn: (context) =>
      readAgain(server, context, (asked) =>
        searchRuns(asked, { thread_id, limit: 100 }, context.signal),
      ),
    refetchInterval: 3_000,
  })
}

/** The assistants of an agent server, as the areas ask for them. */
import { queryOptions } from '@tanstack/react-query'
import type { AgentServer } from './agent-server.tsx'

/** All assistants of the server. */
export function assistantsQuery(server: AgentServer) {
  return queryOptions({
    queryKey: [server.key, 'assistants'],
    queryFn: ({ signal }) => server.client.assistants.search({ limit: 1_000, signal }),
  })
}

import type { QueryFunctionContext } from '@tanstack/react-query'
import { type AgentServer, atAGlance } from './agent-server.tsx'
import { statusOf } from './query-client.ts'

/**
 * For data of an agent server that a page polls. The first read wakes the server; later reads neither wake it nor keep
 * it awake, and while it sleeps the last data stays.
 */
export async function readAgain<T>(
  server: AgentServer,
  { client, queryKey }: Pick<QueryFunctionContext, 'client' | 'queryKey'>,
  read: (server: AgentServer) => Promise<T>,
): Promise<T> {
  const before = client.getQueryData<T>(queryKey)
  if (before === undefined) return read(server)
  try {
    return await read(atAGlance(server))
  } catch (error) {
    if (statusOf(error) === 409) return before
    throw error
  }
}

import type { QueryFunctionContext } from '@tanstack/react-query'
import { type AgentServer, atAGlance } from './agent-server.tsx'
import { statusOf } from './query-client.ts'

/**
 * What a page reads of an agent server again and again. The first time the server is woken for it; a page that only
 * stays open neither wakes it after that nor keeps it awake, and while it sleeps what was read last stands.
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

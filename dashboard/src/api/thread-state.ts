import type { ThreadState } from '@langchain/langgraph-sdk'
import { queryOptions } from '@tanstack/react-query'
import type { AgentServer } from './agent-server.tsx'
import { readAgain } from './read-again.ts'

export type State = Record<string, unknown>

/** Every query about one thread begins with this key. */
export function threadKey(server: AgentServer, threadId: string | undefined) {
  return [server.key, 'threads', threadId ?? 'none'] as const
}

/** A checkpoint of the thread; with `checkpoint_ns`, of a subgraph. */
export interface Place {
  checkpoint_id: string
  checkpoint_ns: string
}

/** The state at a checkpoint, given by its id or place; without one, the current state. */
export function stateQuery(server: AgentServer, threadId?: string, at?: string | Place) {
  return queryOptions({
    queryKey: [...threadKey(server, threadId), 'state', keyOf(at)],
    queryFn: (context): Promise<ThreadState<State>> => {
      const id = threadId ?? ''
      const { signal } = context
      return readAgain(server, context, ({ client }) =>
        client.threads.getState<State>(id, checkpointOf(id, at), { signal }),
      )
    },
    enabled: threadId !== undefined,
  })
}

function keyOf(at: string | Place | undefined) {
  if (typeof at !== 'object') return at ?? 'now'
  return { checkpoint_id: at.checkpoint_id, checkpoint_ns: at.checkpoint_ns }
}

function checkpointOf(thread_id: string, at: string | Place | undefined) {
  if (typeof at !== 'object') return at
  const { checkpoint_id, checkpoint_ns } = at
  return { thread_id, checkpoint_id, checkpoint_ns, checkpoint_map: {} }
}

/** Data that the Studio reads from an agent server, besides a run's stream. */
import type { Run, ThreadState } from '@langchain/langgraph-sdk'
import { queryOptions } from '@tanstack/react-query'
import { askForPage } from '../api/agent-request.ts'
import type { AgentServer } from '../api/agent-server.tsx'
import { readAgain } from '../api/read-again.ts'
import { isActive } from '../api/run-state.ts'
import { type State, threadKey } from '../api/thread-state.ts'

/** `assistant`: its id, or a graph's id for the graph's own assistant. */
export function assistantQuery(server: AgentServer, assistant: string) {
  return queryOptions({
    queryKey: [server.key, 'assistants', assistant],
    queryFn: ({ signal }) => server.client.assistants.get(assistant, { signal }),
  })
}

/**
 * Another assistant of the thread's graph; `null`: none. A project whose `auth` shows users only what they own hides a
 * graph's own assistant from them, though it may have run their threads.
 */
export function standInQuery(server: AgentServer, threadId?: string) {
  return queryOptions({
    queryKey: [...threadKey(server, threadId), 'stand-in'],
    queryFn: async ({ signal }) => {
      const { metadata } = await server.client.threads.get(threadId ?? '', { signal })
      const graphId = metadata?.graph_id
      if (typeof graphId !== 'string') return null
      const [found] = await server.client.assistants.search({ graphId, limit: 1, signal })
      return found ?? null
    },
    enabled: threadId !== undefined,
  })
}

export function schemasQuery(server: AgentServer, assistant: string) {
  return queryOptions({
    queryKey: [server.key, 'assistants', assistant, 'schemas'],
    queryFn: ({ signal }) => server.client.assistants.getSchemas(assistant, { signal }),
    staleTime: 60_000,
  })
}

export function graphQuery(server: AgentServer, assistant: string) {
  return queryOptions({
    queryKey: [server.key, 'assistants', assistant, 'graph'],
    queryFn: ({ signal }) => server.client.assistants.getGraph(assistant, { xray: true, signal }),
    staleTime: 60_000,
  })
}

/** Most steps that are read to find where a run began, or a message came from. */
export const HISTORY_LIMIT = 200

/** A step of the thread. Of its values it has at most the messages, since all values may be a megabyte per step. */
export type Step = Pick<
  ThreadState<State>,
  'checkpoint' | 'parent_checkpoint' | 'metadata' | 'tasks' | 'created_at'
> & { values?: State }

const STEP_FIELDS = [
  'checkpoint',
  'parent_checkpoint',
  'metadata',
  'tasks',
  'created_at',
] satisfies (keyof Step)[]

/** Up to `limit` steps of all branches, newest first; with `before` only those older than that checkpoint. */
export async function readSteps(
  server: AgentServer,
  threadId: string,
  page: { limit: number; before?: string | undefined; messagesKey?: string | undefined },
  signal?: AbortSignal,
): Promise<{ rows: (Step & { id: string })[]; hasMore: boolean }> {
  const { limit, before, messagesKey } = page
  const select = [...STEP_FIELDS, ...(messagesKey ? [`values.${messagesKey}`] : [])]
  // The SDK's `getHistory` does not know `select`.
  const path = `/threads/${threadId}/history`
  const found = await askForPage<Step[]>(server, 'POST', path, { limit, before, select }, signal)
  const rows = found.answer.map((step) => ({ ...step, id: step.checkpoint.checkpoint_id ?? '' }))
  return { rows, hasMore: found.headers.has('x-pagination-next') || rows.length === limit }
}

export function runsQuery(server: AgentServer, threadId?: string) {
  return queryOptions({
    queryKey: [...threadKey(server, threadId), 'runs'],
    queryFn: (context) =>
      readAgain(server, context, ({ client }) =>
        client.runs.list(threadId ?? '', { limit: 50, signal: context.signal }),
      ),
    enabled: threadId !== undefined,
    // Another client may start a run.
    refetchInterval: ({ state }) => (state.data?.some(isActive) ? 2_000 : 6_000),
  })
}

/** A run's input; the server returns it, but the SDK's type lacks it. */
export function inputOf(run: Run | undefined): State | undefined {
  const { kwargs } = (run ?? {}) as { kwargs?: { input?: State | null } }
  return kwargs?.input ?? undefined
}

/** The threads of one assistant, or of all. */
export function recentThreadsQuery(server: AgentServer, assistantId?: string) {
  return queryOptions({
    queryKey: [server.key, 'threads', 'recent', assistantId ?? 'of all'],
    queryFn: ({ signal }) =>
      server.client.threads.search<State>({
        ...(assistantId && { metadata: { assistant_id: assistantId } }),
        sortBy: 'updated_at',
        sortOrder: 'desc',
        limit: 30,
        signal,
      }),
  })
}

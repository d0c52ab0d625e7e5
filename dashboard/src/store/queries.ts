import type { SearchItem } from '@langchain/langgraph-sdk'
import { queryOptions } from '@tanstack/react-query'
import type { AgentServer } from '../api/agent-server.tsx'
import { readAgain } from '../api/read-again.ts'
import { useChange } from '../api/use-change.ts'
import type { Ask } from '../shell/row-pages.ts'

export type Item = SearchItem

export const PAGE_SIZE = 100
const MOST_NAMESPACES = 1_000
const EVERY_MS = 10_000

export function namespacesQuery(server: AgentServer) {
  return queryOptions({
    queryKey: [server.key, 'store', 'namespaces'],
    queryFn: (context) =>
      readAgain(server, context, async ({ client }) => {
        const { namespaces } = await client.store.listNamespaces({ limit: MOST_NAMESPACES })
        return namespaces.map((labels) => ({ labels }))
      }),
    refetchInterval: EVERY_MS,
  })
}

/** `meaning`: the text to search for; only a store with an index returns scores. */
export function itemsQuery(
  server: AgentServer,
  { path, meaning, ask }: { path: readonly string[]; meaning: string | undefined; ask: Ask },
) {
  return queryOptions({
    queryKey: [server.key, 'store', 'items', ...path, { meaning, ...ask }],
    queryFn: (context) =>
      readAgain(server, context, async ({ client }) => {
        const { items } = await client.store.searchItems([...path], {
          ...ask,
          ...(meaning && { query: meaning }),
          refreshTtl: false,
        })
        return items
      }),
    refetchInterval: EVERY_MS,
  })
}

export function itemQuery(server: AgentServer, path: readonly string[], key: string) {
  return queryOptions({
    queryKey: [server.key, 'store', 'item', ...path, key],
    queryFn: () => server.client.store.getItem([...path], key, { refreshTtl: false }),
  })
}

/** A change of the store; all its data is read again after it. */
export function useStoreAction(server: AgentServer) {
  return useChange([server.key, 'store'])
}

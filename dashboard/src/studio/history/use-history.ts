import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { useAgentServer } from '../../api/agent-server.tsx'
import { threadKey } from '../../api/thread-state.ts'
import { type HistoryPage, readHistoryPage } from './history-page.ts'
import { extendHistory, type KnownHistory, refreshHistory } from './merge-rows.ts'

/** Polling interval for new steps during a run, besides the reports of its stream. */
const LOOK_MS = 3_000

/** The thread's checkpoints, of all branches: a first page, older ones on demand, new ones as they come. */
export function useHistory(threadId: string | undefined, isLive: boolean) {
  const server = useAgentServer()
  const queries = useQueryClient()
  const key = [...threadKey(server, threadId), 'checkpoints']
  const [older, setOlder] = useState<{ isLoading: boolean; error?: unknown }>({ isLoading: false })
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      refreshHistory(queries.getQueryData<KnownHistory>(key), (page) =>
        readHistoryPage(server, threadId ?? '', page, signal),
      ),
    enabled: threadId !== undefined,
    refetchInterval: isLive ? LOOK_MS : false,
    structuralSharing: false,
  })
  const loadOlder = async () => {
    const known = queries.getQueryData<KnownHistory>(key)
    if (!known?.hasMore || older.isLoading) return
    setOlder({ isLoading: true })
    try {
      const read = (page: { limit: number; before?: string | undefined }): Promise<HistoryPage> =>
        readHistoryPage(server, threadId ?? '', page)
      const page = await extendHistory(known, read)
      // A request in flight does not include these rows.
      await queries.cancelQueries({ queryKey: key })
      queries.setQueryData<KnownHistory>(key, page)
      setOlder({ isLoading: false })
    } catch (error) {
      setOlder({ isLoading: false, error })
    }
  }
  const { refetch } = query
  const look = useCallback(() => void refetch({ cancelRefetch: false }), [refetch])
  return { query, loadOlder, older, look }
}

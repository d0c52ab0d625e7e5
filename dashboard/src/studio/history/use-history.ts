import type { ThreadState } from '@langchain/langgraph-sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { useAgentServer } from '../../api/agent-server.tsx'
import { stateQuery, threadKey } from '../../api/thread-state.ts'
import { readSteps } from '../queries.ts'
import { readHistoryPage, rowOf } from './history-page.ts'
import { extendHistory, type KnownHistory, type ReadPage, refreshHistory } from './merge-rows.ts'

/** Polling interval for new steps during a run, besides the reports of its stream. */
const LOOK_MS = 3_000

/** Rows that are read first: more than the list shows at once. A state may have megabytes for the server to read. */
const FIRST_SIZE = 15

/** Steps with their messages in a page: each of them repeats the whole conversation. */
const STEPS_SIZE = 8

/**
 * The thread's checkpoints, of all branches: a first page, older ones on demand, new ones as they come. Until the first
 * page is there, the checkpoint of the current state.
 */
export function useHistory(threadId: string | undefined, isLive: boolean) {
  const server = useAgentServer()
  const { data: newest } = useQuery({ ...stateQuery(server, threadId), refetchOnMount: false })
  return usePages({
    queryKey: [...threadKey(server, threadId), 'checkpoints'],
    read: (page, signal) => readHistoryPage(server, threadId ?? '', page, signal),
    firstSize: FIRST_SIZE,
    isEnabled: threadId !== undefined,
    isLive,
    ...(newest?.checkpoint?.checkpoint_id && {
      first: { rows: [rowOf(newest as ThreadState & { interrupts: [] })], hasMore: true },
    }),
  })
}

/** The newest steps of all branches with their messages, older ones on demand. */
export function useSteps(threadId: string | undefined, messagesKey: string | undefined) {
  const server = useAgentServer()
  return usePages({
    queryKey: [...threadKey(server, threadId), 'steps', messagesKey ?? 'none'],
    read: (page, signal) => readSteps(server, threadId ?? '', { ...page, messagesKey }, signal),
    firstSize: STEPS_SIZE,
    pageSize: STEPS_SIZE,
    isEnabled: threadId !== undefined && messagesKey !== undefined,
    isLive: false,
  })
}

function usePages<Row extends { id: string }>(options: {
  queryKey: readonly unknown[]
  read: (page: Parameters<ReadPage<Row>>[0], signal?: AbortSignal) => ReturnType<ReadPage<Row>>
  firstSize: number
  pageSize?: number
  isEnabled: boolean
  isLive: boolean
  /** Shown until the first page is there. */
  first?: KnownHistory<Row>
}) {
  const { queryKey, read, firstSize, pageSize, isEnabled, isLive, first } = options
  const queries = useQueryClient()
  const [older, setOlder] = useState<{ isLoading: boolean; error?: unknown }>({ isLoading: false })
  const query = useQuery<KnownHistory<Row>>({
    queryKey,
    queryFn: ({ signal }) =>
      refreshHistory(
        queries.getQueryData<KnownHistory<Row>>(queryKey),
        (page) => read(page, signal),
        firstSize,
      ),
    enabled: isEnabled,
    refetchInterval: isLive ? LOOK_MS : false,
    structuralSharing: false,
    ...(first && { placeholderData: first as never }),
  })
  const loadOlder = async () => {
    const known = queries.getQueryData<KnownHistory<Row>>(queryKey)
    if (!known?.hasMore || older.isLoading) return
    setOlder({ isLoading: true })
    try {
      const page = await extendHistory(known, read, pageSize)
      // A request in flight does not include these rows: it is made again with them.
      const isReading = queries.isFetching({ queryKey }) > 0
      await queries.cancelQueries({ queryKey })
      queries.setQueryData<KnownHistory<Row>>(queryKey, page)
      if (isReading) void queries.invalidateQueries({ queryKey })
      setOlder({ isLoading: false })
    } catch (error) {
      setOlder({ isLoading: false, error })
    }
  }
  const { refetch } = query
  const look = useCallback(() => void refetch({ cancelRefetch: false }), [refetch])
  return { query, loadOlder, older, look }
}

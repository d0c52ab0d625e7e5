/** Follows any client's run of a thread, through the official SDK's hook. */
import { Client, type Run } from '@langchain/langgraph-sdk'
import { useStream } from '@langchain/langgraph-sdk/react'
import {
  isRemoveUIMessage,
  isUIMessage,
  type UIMessage,
  uiMessageReducer,
} from '@langchain/langgraph-sdk/react-ui'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import type { State } from '../api/thread-state.ts'
import { type Activity, NO_ACTIVITY, withTask } from './activity.ts'
import { pacedFetch } from './paced-fetch.ts'

/** The stream modes of every run that the Studio starts. */
export const STREAM_MODES = ['values', 'messages-tuple', 'tasks', 'custom'] as const

/** A lost connection is retried after this time. */
const RETRY_MS = 1_000

interface Followed {
  server: AgentServer
  assistantId: string
  threadId: string | undefined
  messagesKey: string | undefined
  run: Run | undefined
  /** The thread's state before the run. */
  initialValues: State
  /** Reads the thread's stored state after the stream has ended; returns whether the run is over, too. */
  onEnd: (runId: string) => Promise<boolean>
}

/** The run's stream; `isLive` until the stored state has been read after its end. */
export function useLiveRun({ server, run, onEnd, ...of }: Followed) {
  const client = useMemo(
    () =>
      new Client({
        apiUrl: server.url,
        apiKey: null,
        defaultHeaders: server.headers,
        callerOptions: { fetch: pacedFetch },
      }),
    [server],
  )
  const [activity, setActivity] = useState<Activity>(NO_ACTIVITY)
  /** The run whose stream or end is being read. */
  const [live, setLive] = useState<{ runId: string; threadId: string }>()
  const followed = useRef<string>(undefined)
  /** The run that `activity` belongs to. */
  const [heard, setHeard] = useState<string>()
  const stream = useStream<State>({
    client,
    assistantId: of.assistantId,
    threadId: of.threadId ?? null,
    messagesKey: of.messagesKey ?? 'messages',
    initialValues: of.initialValues,
    // The Studio reads the stored states itself.
    thread: { data: [], error: undefined, isLoading: false, mutate: async () => [] },
    throttle: true,
    onTaskEvent: (event, { namespace }) =>
      setActivity((before) => withTask(before, event as never, namespace)),
    onCustomEvent: (event, { mutate }) => {
      const ui = event as UIMessage
      if (!isUIMessage(ui) && !isRemoveUIMessage(ui)) return
      mutate((state) => ({ ui: uiMessageReducer((state.ui as UIMessage[]) ?? [], ui) }))
    },
  })
  const latest = useRef({ stream, onEnd })
  latest.current = { stream, onEnd }

  const runId = run?.run_id
  const { threadId } = of
  useEffect(() => {
    if (!runId || !threadId || stream.isLoading || live || followed.current === runId) return
    followed.current = runId
    setActivity(NO_ACTIVITY)
    setHeard(runId)
    setLive({ runId, threadId })
    const follow = async () => {
      await latest.current.stream.joinStream(runId, '-1', { filter: isOfTopGraph })
      const isOver = await latest.current.onEnd(runId)
      // The run is not over: the connection was lost.
      if (!isOver) {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
        followed.current = undefined
      }
      setLive(undefined)
    }
    void follow()
  }, [runId, threadId, stream.isLoading, live])

  return { stream, activity, isLive: live !== undefined && live.threadId === threadId, heard }
}

/** A subgraph's values are not the thread's. */
function isOfTopGraph({ event }: { event: string }): boolean {
  return !event.startsWith('values|') && !event.startsWith('updates|')
}

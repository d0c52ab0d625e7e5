/** Follows the run of a thread, by the official SDK's hook: every run in the same way, whoever began it. */
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

/** What the Studio asks every run of its own to stream. */
export const STREAM_MODES = ['values', 'messages-tuple', 'tasks', 'custom'] as const

/** A lost connection is tried again after this time. */
const RETRY_MS = 1_000

interface Followed {
  server: AgentServer
  assistantId: string
  threadId: string | undefined
  messagesKey: string | undefined
  run: Run | undefined
  /** The thread's state before the run. */
  initialValues: State
  /** Reads what the thread keeps once the stream is over; says whether the run is over, too. */
  onEnd: (runId: string) => Promise<boolean>
}

/** What is heard of the run; `isLive` until what the thread keeps has been read after its end. */
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
  /** The run whose stream is read, or whose end is being looked at. */
  const [live, setLive] = useState<{ runId: string; threadId: string }>()
  const followed = useRef<string>(undefined)
  /** The run that the activity is of. */
  const [heard, setHeard] = useState<string>()
  const stream = useStream<State>({
    client,
    assistantId: of.assistantId,
    threadId: of.threadId ?? null,
    messagesKey: of.messagesKey ?? 'messages',
    initialValues: of.initialValues,
    // The kept states are read by the Studio itself.
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
      // The connection was lost, not the run.
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

/** The values of a graph within the graph are not those of the thread. */
function isOfTopGraph({ event }: { event: string }): boolean {
  return !event.startsWith('values|') && !event.startsWith('updates|')
}

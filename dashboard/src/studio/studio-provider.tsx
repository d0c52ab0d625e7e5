/** Combines the Studio's shared state: the address, the thread's stored state, and the run in progress. */
import type {
  Assistant,
  GraphSchema,
  Interrupt,
  Message,
  Run,
  ThreadState,
} from '@langchain/langgraph-sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { useAgentServer } from '../api/agent-server.tsx'
import { isActive } from '../api/run-state.ts'
import { type State, stateQuery, threadKey } from '../api/thread-state.ts'
import { activityOf, NO_ACTIVITY, withInner } from './activity.ts'
import { useBreakpoints } from './graph/breakpoints.ts'
import { messagesKeyOf } from './messages-key.ts'
import { pathQuery } from './path-query.ts'
import { inputOf, runsQuery } from './queries.ts'
import { useStudioSearch } from './search.ts'
import { ProvideStream, ProvideStudio, type Studio, type StudioStream } from './studio-context.tsx'
import { STREAM_MODES, useLiveRun } from './use-live-run.ts'

const NOTHING: State = {}
const NO_RUNS: readonly Run[] = []
const NO_MESSAGES: readonly Message[] = []

export function StudioProvider(props: {
  assistant: Assistant
  schemas: GraphSchema
  /** Default: the thread that the address names. */
  threadId?: string
  children: ReactNode
}) {
  const { assistant, schemas } = props
  const server = useAgentServer()
  const queries = useQueryClient()
  const { search, change } = useStudioSearch()
  const { thread: threadId = props.threadId, checkpoint } = search
  const messagesKey = messagesKeyOf(schemas.state_schema)
  const [breakpoints, setBreakpoints] = useBreakpoints(server.key, assistant.assistant_id)
  const [outbox, setOutbox] = useState<readonly Message[]>(NO_MESSAGES)

  const newest = useQuery(stateQuery(server, threadId))
  const selected = useQuery({
    ...stateQuery(server, threadId, checkpoint),
    enabled: threadId !== undefined && checkpoint !== undefined,
  })
  const runs = useQuery(runsQuery(server, threadId)).data ?? NO_RUNS
  const { activeRun, queue } = useMemo(() => inTurn(runs), [runs])

  const kept = checkpoint === undefined ? newest : selected
  const state = threadId === undefined ? undefined : kept.data
  const before = useQuery(pathQuery(server, threadId, state)).data

  const onEnd = useCallback(
    async (runId: string) => {
      await queries.invalidateQueries({ queryKey: threadKey(server, threadId) })
      void queries.invalidateQueries({ queryKey: [server.key, 'threads', 'recent'] })
      const after = queries.getQueryData(runsQuery(server, threadId).queryKey)
      return !after?.some((run) => run.run_id === runId && isActive(run))
    },
    [queries, server, threadId],
  )
  const { stream, activity, isLive, heard } = useLiveRun({
    server,
    assistantId: assistant.assistant_id,
    threadId,
    messagesKey,
    run: activeRun,
    initialValues: newest.data?.values ?? NOTHING,
    onEnd,
  })

  const select = useCallback<Studio['select']>(
    ({ thread, checkpoint: at }) =>
      change({
        ...(thread !== undefined && { thread: thread ?? undefined, checkpoint: undefined }),
        ...(at !== undefined && { checkpoint: at ?? undefined }),
      }),
    [change],
  )

  const submit = useCallback<Studio['submit']>(
    async ({ input, command }, options = {}) => {
      setOutbox(messagesIn(input, messagesKey))
      try {
        const thread = threadId ?? (await server.client.threads.create()).thread_id
        const from = options.checkpoint === undefined ? checkpoint : options.checkpoint
        const before = options.interruptBefore ?? [...breakpoints.before]
        const after = options.interruptAfter ?? [...breakpoints.after]
        const run = await server.client.runs.create(thread, assistant.assistant_id, {
          // With null the run continues from the thread's current state.
          ...(command ? { command } : { input: input ?? null }),
          ...(from && (typeof from === 'string' ? { checkpointId: from } : { checkpoint: from })),
          ...(before.length > 0 && { interruptBefore: before }),
          ...(after.length > 0 && { interruptAfter: after }),
          ...(options.config && { config: options.config }),
          ...(options.context && { context: options.context }),
          multitaskStrategy: options.multitaskStrategy ?? 'enqueue',
          streamMode: [...STREAM_MODES],
          streamSubgraphs: true,
          streamResumable: true,
        })
        // A poll may have found it already.
        queries.setQueryData(runsQuery(server, thread).queryKey, (known = []) => [
          run,
          ...known.filter(({ run_id }) => run_id !== run.run_id),
        ])
        if (threadId !== thread) change({ thread, checkpoint: undefined })
        else if (checkpoint) change({ checkpoint: undefined })
      } finally {
        setOutbox(NO_MESSAGES)
      }
      if (options.multitaskStrategy)
        void queries.invalidateQueries({ queryKey: threadKey(server, threadId) })
    },
    [assistant, breakpoints, change, checkpoint, messagesKey, queries, server, threadId],
  )

  const stop = useCallback(async () => {
    if (threadId && activeRun) await server.client.runs.cancel(threadId, activeRun.run_id)
  }, [server, threadId, activeRun])

  const studio = useMemo<Studio>(
    () => ({
      assistant,
      schemas,
      messagesKey,
      threadId,
      checkpoint,
      select,
      breakpoints,
      setBreakpoints,
      activeRun,
      queue,
      submit,
      stop,
    }),
    [
      assistant,
      schemas,
      messagesKey,
      threadId,
      checkpoint,
      select,
      breakpoints,
      setBreakpoints,
      activeRun,
      queue,
      submit,
      stop,
    ],
  )

  const isLiveShown = isLive && checkpoint === undefined
  const values = (isLiveShown ? stream.values : state?.values) ?? NOTHING
  const messages = listOf(values, messagesKey)
  const isHeard = checkpoint === undefined && heard !== undefined && heard === runs[0]?.run_id
  const keptActivity = useMemo(() => {
    if (!state || !before) return isHeard ? activity : NO_ACTIVITY
    const kept = activityOf([state, ...before])
    return isHeard ? withInner(kept, activity) : kept
  }, [state, before, isHeard, activity])
  const shown: StudioStream = {
    values,
    messages,
    sent: unseen([...messagesIn(inputOf(activeRun), messagesKey), ...outbox], messages),
    interrupts: isLiveShown ? [] : interruptsOf(state),
    next: isLiveShown ? [] : (state?.next ?? []),
    activity: isLiveShown ? activity : keptActivity,
    error: checkpoint === undefined ? (stream.error ?? errorOf(runs, state)) : undefined,
    isRunning: activeRun !== undefined || isLive,
    isLoading: threadId !== undefined && kept.isPending,
    state,
  }
  return (
    <ProvideStudio value={studio}>
      <ProvideStream value={shown}>{props.children}</ProvideStream>
    </ProvideStudio>
  )
}

/** The run in progress, or the next one, and the queue behind it. The server lists the newest first. */
function inTurn(runs: readonly Run[]): { activeRun: Run | undefined; queue: readonly Run[] } {
  const active = runs.filter(isActive).toReversed()
  const activeRun = active.find(({ status }) => status === 'running') ?? active[0]
  return { activeRun, queue: active.filter((run) => run !== activeRun) }
}

/** The error of the last run, if no run has started since. */
function errorOf([last]: readonly Run[], state: StudioStream['state']): unknown {
  if (last?.status !== 'error' && last?.status !== 'timeout') return undefined
  const failed = state?.tasks.find(({ error }) => error)
  if (failed) return new Error(String(failed.error))
  return new Error(last.status === 'timeout' ? 'The run took too long.' : 'The run failed.')
}

function messagesIn(input: State | null | undefined, key: string | undefined): readonly Message[] {
  return input ? listOf(input, key) : NO_MESSAGES
}

function listOf(values: State, key: string | undefined): readonly Message[] {
  const list = key ? values[key] : undefined
  // While a subgraph streams, the hook's list can have holes.
  return Array.isArray(list) ? list.filter((one) => one?.type) : NO_MESSAGES
}

function unseen(sent: readonly Message[], messages: readonly Message[]): readonly Message[] {
  if (sent.length === 0) return NO_MESSAGES
  const seen = new Set(messages.map(({ id }) => id))
  return sent.filter(({ id }, index) => {
    const isFirst = sent.findIndex((one) => one.id === id) === index
    return id !== undefined && isFirst && !seen.has(id)
  })
}

/**
 * The open interrupts of the state's tasks, each once. A task with a result has had its answer, while others of the
 * same step still wait.
 */
function interruptsOf(state: ThreadState | undefined): Interrupt[] {
  const open = (state?.tasks ?? []).filter(({ result }) => (result ?? undefined) === undefined)
  const all = open.flatMap(({ interrupts }) => interrupts)
  return all.filter(({ id }, at) => !id || all.findIndex((one) => one.id === id) === at)
}

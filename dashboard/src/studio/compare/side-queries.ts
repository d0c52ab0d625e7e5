/** Reads the data of a comparison's sides. */
import type { Run, ThreadState } from '@langchain/langgraph-sdk'
import { queryOptions } from '@tanstack/react-query'
import type { AgentServer } from '../../api/agent-server.tsx'
import { statusOf } from '../../api/query-client.ts'
import { isActive } from '../../api/run-state.ts'
import { type State, threadKey } from '../../api/thread-state.ts'
import type { Side } from './search.ts'

export interface SideData {
  /** Undefined: the run has not taken a step. */
  state: ThreadState<State> | undefined
  /** The run that wrote it; undefined if a user edited the state, or the run was deleted. */
  run: Run | undefined
}

/** Read again every second while its run is in progress. */
export function sideQuery(server: AgentServer, side: Side) {
  return queryOptions({
    queryKey: [...threadKey(server, side.thread), 'side', side.checkpoint ?? '', side.run ?? ''],
    queryFn: ({ signal }) => readSide(server, side, signal),
    refetchInterval: ({ state }) => (state.data?.run && isActive(state.data.run) ? 1_000 : false),
  })
}

/** Reads the run before its state: if the run ends in between, it was still active when read, so it is read again. */
async function readSide(server: AgentServer, side: Side, signal: AbortSignal): Promise<SideData> {
  const named = side.run && (await readRun(server, side.thread, side.run, signal))
  const state = await readState(server, side, signal)
  const writer = state?.metadata?.run_id
  if (side.run || typeof writer !== 'string') return { state, run: named || undefined }
  return { state, run: await readRun(server, side.thread, writer, signal) }
}

async function readState(
  server: AgentServer,
  { thread, checkpoint, run }: Side,
  signal: AbortSignal,
): Promise<ThreadState<State> | undefined> {
  const { threads } = server.client
  if (!run) return threads.getState<State>(thread, checkpoint, { signal })
  const options = { metadata: { run_id: run }, limit: 1, signal }
  const [last] = await threads.getHistory<State>(thread, options)
  return last
}

async function readRun(
  server: AgentServer,
  threadId: string,
  runId: string,
  signal: AbortSignal,
): Promise<Run | undefined> {
  try {
    return await server.client.runs.get(threadId, runId, { signal })
  } catch (error) {
    if (statusOf(error) === 404) return undefined
    throw error
  }
}

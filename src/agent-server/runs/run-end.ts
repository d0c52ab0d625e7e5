/**
 * Ends a run: closes its log and updates its thread. Part of a transaction that has already set
 * the run's last status or removed the run.
 */
import type { AgentStore } from '../../core/agent/agent-store.ts'
import type { CronRun } from '../../core/agent/cron.ts'
import {
  END_EVENT,
  encodeRunEnd,
  type NewEvent,
  type RunEnd,
  type RunEvent,
} from '../../core/agent/event.ts'
import { inputRequest, protocolEventName } from '../../core/agent/protocol.ts'
import type { QueuedRun, RunError } from '../../core/agent/run.ts'
import type { ThreadPatch, ThreadState } from '../../core/agent/thread.ts'
import type { WebhookEnd } from '../../core/agent/webhook.ts'
import type { JsonObject } from '../../core/json.ts'
import { enqueuePosts } from '../webhooks/outbox.ts'
import { finalValues, forgetUser } from './run-on-wire.ts'

/** How long a stateless run's stream stays readable after its thread's removal, in ms. Source: LangGraph Server API. */
const DROPPED_THREAD_MS = 120_000

interface Ending {
  status: Exclude<WebhookEnd['status'], 'rollback'>
  error: RunError | null
  /** The run's last events, which are not in the log yet. */
  unwritten?: NewEvent[]
  /** The run has changed nothing: its thread stays as the previous run left it. */
  isUntouched?: boolean
  /** The thread's state after the run. Absent: unknown. */
  state?: ThreadState
}

/** The result of writing a run's end. */
export interface Recorded {
  /** Events to pass to the event log after the transaction. */
  events: RunEvent[]
  /** Whether deliveries were queued. If so, wake their sender after the transaction. */
  isPosted: boolean
  /** Whether another run of the thread is pending. */
  isNextWaiting: boolean
}

/** Writes the log's end and the thread, and queues deliveries. `now` in ms since 1970. */
export async function recordEnd(
  tx: AgentStore,
  run: QueuedRun,
  ending: Ending,
  now: number,
): Promise<Recorded> {
  const state = ending.state ?? (await tx.threads.getState(run.thread_id))
  const { status, error } = ending
  const { next = [] } = state ?? {}
  const left = { values: finalValues(state, status), next }
  const asked = questions(run, { ...ending, ...(state && { state }) }, now)
  const events = [...(ending.unwritten ?? []), ...asked, ...endEvents(run, ending, left)]
  const isWaiting = status === 'success' && next.length > 0
  const leave = ending.isUntouched ? undefined : () => leftBy(ending, state)
  return record(
    tx,
    run,
    { post: { status, error, ...left }, status, events, isWaiting, leave },
    now,
  )
}

/**
 * The same for a run that has changed nothing, because it never started or was rolled back: its thread
 * stays as the previous run left it. The log's end has no values: readers take the thread's.
 */
export function recordNothing(
  tx: AgentStore,
  run: QueuedRun,
  status: 'interrupted' | 'rolled_back',
  now: number,
): Promise<Recorded> {
  const post = { status: status === 'rolled_back' ? 'rollback' : status, error: null } as const
  const events = endEvents(run, { status, error: null })
  return record(tx, run, { post, status, events, isWaiting: false, leave: undefined }, now)
}

interface Entry {
  /** What webhooks get. */
  post: WebhookEnd
  status: CronRun['status']
  events: NewEvent[]
  /** The graph waits at an interrupt or a breakpoint. */
  isWaiting: boolean
  /** What the run leaves on its thread. Absent: what the previous run has left. */
  leave: (() => Left) | undefined
}

async function record(
  tx: AgentStore,
  run: QueuedRun,
  { post, status, events, isWaiting, leave }: Entry,
  now: number,
): Promise<Recorded> {
  const { thread_id, run_id } = run
  // All are sent together, and the statements that need their results with the commit: two round trips.
  const [isBusy, isPosted, logged] = await Promise.all([
    tx.runs.hasActive(thread_id),
    enqueuePosts(tx, run, post, now),
    tx.events.append({ thread_id, run_id, created_at: now }, events),
    forgetUser(tx, run),
    noteOnCron(tx, run, { status, error: post.error }),
  ])
  // A long queue does not read the state once per run.
  const left = leave ?? (() => (isBusy ? {} : leftBefore(tx, thread_id)))
  await releaseThread(tx, run, { isBusy, isWaiting, left }, now)
  return { events: logged ?? [], isPosted, isNextWaiting: isBusy }
}

/** Records the run's end on its cron. A cron's run has `cron_id` in its metadata. */
async function noteOnCron(
  tx: AgentStore,
  { run_id, thread_id, created_at, metadata }: QueuedRun,
  { status, error }: { status: CronRun['status']; error: RunError | null },
): Promise<void> {
  const { cron_id } = metadata
  if (typeof cron_id !== 'string') return
  const reason = error && `${error.error}: ${error.message}`
  await tx.crons.noteEnd(cron_id, { run_id, thread_id, created_at, status, error: reason })
}

/**
 * Protocol events for a legacy run's open interrupts. Protocol runs emit these events themselves. A run whose answer
 * the graph refused sends its questions again: `input.answered` has closed them.
 */
function questions(
  { kwargs }: QueuedRun,
  { status, state, error, isUntouched }: Ending,
  now: number,
): NewEvent[] {
  const isRefused = isUntouched && kwargs.command?.resume !== undefined && !error?.refusal
  const isSent = kwargs.stream_protocol === 'v2' || status === 'error' || status === 'timeout'
  if (!state || (isSent && !isRefused)) return []
  return state.interrupts.flatMap((interrupt) => {
    if (interrupt.id === undefined) return []
    const params = { namespace: [], timestamp: now, data: inputRequest(interrupt) }
    const event = protocolEventName({ channel: 'input', namespace: [] })
    return [{ event, data: JSON.stringify(params), isOfThreadOnly: true }]
  })
}

function endEvents(
  { metadata }: QueuedRun,
  { status, error }: Pick<RunEnd, 'status' | 'error'>,
  left?: { values: JsonObject; next: string[] },
): NewEvent[] {
  const graph_id = String(metadata.graph_id)
  const { values, next = [] } = left ?? {}
  const known = { ...(values && { values }), ...(next.length > 0 && { next }) }
  const end: RunEnd = { graph_id, status, ...known, error: error ?? null }
  const last = { event: END_EVENT, data: encodeRunEnd(end) }
  if (!error) return [last]
  return [{ event: 'error', data: JSON.stringify(error) }, last]
}

type Left = Pick<ThreadPatch, 'status' | 'error' | 'state'>

/**
 * `isBusy`: another run of the thread is active; read after this run was ended or removed, so that it does not
 * count. `isWaiting`: the graph waits at an interrupt or a breakpoint.
 */
async function releaseThread(
  tx: AgentStore,
  run: QueuedRun,
  {
    isBusy,
    isWaiting,
    left,
  }: { isBusy: boolean; isWaiting: boolean; left: () => Left | Promise<Left> },
  now: number,
): Promise<void> {
  const { thread_id } = run
  const { on_completion } = run.kwargs
  const isDropped = on_completion === 'delete' || (on_completion === 'keep_waiting' && !isWaiting)
  if (isDropped && !isBusy) {
    await tx.threads.drop(thread_id, now + DROPPED_THREAD_MS)
    return
  }
  await tx.threads.update(thread_id, {
    updated_at: new Date(now).toISOString(),
    ...(await left()),
    ...(isBusy && { status: 'busy' }),
  })
}

function leftBy({ status, error, state }: Ending, known: ThreadState | undefined): Left {
  const isFailure = status === 'error' || status === 'timeout'
  return {
    status: isFailure ? 'error' : restingStatus(known),
    error: error ? `${error.error}: ${error.message}` : null,
    ...(state && { state }),
  }
}

async function leftBefore(tx: AgentStore, thread_id: string): Promise<Left> {
  const thread = await tx.threads.get(thread_id)
  if (thread?.error) return { status: 'error' }
  return { status: restingStatus(await tx.threads.getState(thread_id)) }
}

function restingStatus(state: ThreadState | undefined): 'interrupted' | 'idle' {
  return state && state.next.length > 0 ? 'interrupted' : 'idle'
}

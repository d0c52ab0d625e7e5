/**
 * A run: one execution of a graph on a thread.
 *
 * ```
 * pending ──claim──▶ running ──▶ success      the graph ended, or stopped at an interrupt
 *    │  ▲               │  ├───▶ error        an exception, or its attempts are used up
 *    │  └─lease lost────┘  ├───▶ interrupted  cancelled, or superseded by `interrupt`
 *    │                     └───▶ timeout      ran longer than it may
 *    └──cancelled while waiting──▶ interrupted
 * ```
 * `rollback` removes the run and its checkpoints instead of giving it a last status.
 */
import { isObject, type JsonObject, type JsonValue } from '../json.ts'
import type { RunOrigin } from '../origin.ts'
import type { MetadataFilter } from './authorization.ts'
import type { MultitaskStrategy } from './multitask-strategy.ts'
import type { StreamMode } from './stream-mode.ts'
import type { RunExcerpt, TimelineEntry } from './timeline/timeline.ts'

export const RUN_STATUSES = [
  'pending',
  'running',
  'success',
  'error',
  'interrupted',
  'timeout',
] as const

export type RunStatus = (typeof RUN_STATUSES)[number]

/** Every step a run's status may take; storage refuses any other. */
export const RUN_TRANSITIONS: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  pending: ['running', 'interrupted'],
  running: ['pending', 'success', 'error', 'interrupted', 'timeout'],
  success: [],
  error: [],
  interrupted: [],
  timeout: [],
}

export function isTerminal(status: RunStatus): boolean {
  return RUN_TRANSITIONS[status].length === 0
}

/**
 * How the graph ended when its run was asked to stop (cancelled, superseded, out of time). `stopped`: the functions of
 * its nodes ended in time. `cut_off`: they went on, but no further work of theirs reaches the thread.
 */
export const STOP_OUTCOMES = ['stopped', 'cut_off'] as const
export type StopOutcome = (typeof STOP_OUTCOMES)[number]

/** What cancelling does to the run: keep what it wrote, or remove the run and its checkpoints. */
export const CANCEL_ACTIONS = ['interrupt', 'rollback'] as const
export type CancelAction = (typeof CANCEL_ACTIONS)[number]

/** `thread_id`, `checkpoint_ns` and `checkpoint_id` name a point of a thread's history. */
export interface CheckpointRef {
  checkpoint_id?: string
  checkpoint_ns?: string
  checkpoint_map?: JsonObject
}

/** Resumes or steers a thread. It replaces `input`. */
export interface RunCommand {
  update?: JsonValue
  resume?: JsonValue
  goto?: JsonValue
}

const INTERRUPT_ID = /^[0-9a-f]{32}$/

/**
 * The interrupts that `resume` answers by their ids, as LangGraph reads it: none for an empty object. `undefined`: it is a
 * single answer.
 */
export function namedInterrupts(resume: JsonValue): string[] | undefined {
  if (!isObject(resume)) return undefined
  const keys = Object.keys(resume)
  return keys.every((key) => INTERRUPT_ID.test(key)) ? keys : undefined
}

/** What the run was created with, shown as `kwargs`. Absent fields were not given. */
export interface RunKwargs {
  input?: JsonValue
  command?: RunCommand
  config: JsonObject
  context?: JsonValue
  checkpoint?: CheckpointRef
  interrupt_before?: '*' | string[]
  interrupt_after?: '*' | string[]
  stream_mode: StreamMode[]
  stream_subgraphs: boolean
  /** `v2`: the run's log is for the thread-centred protocol. Absent: for the legacy streams. */
  stream_protocol?: 'v2'
  durability?: 'sync' | 'async' | 'exit'
  stream_resumable?: boolean
  /** An answer to an interrupt that is not open makes the run fail, and changes nothing. */
  strict_resume?: boolean
  /** The URL to which the end of the run is posted. */
  webhook?: string
  feedback_keys?: string[]
  langsmith_tracer?: JsonObject
  /** Shown outside of the kwargs: see `Run`. */
  langsmith_session_name?: string
  /**
   * What happens when the run ends to a thread that was made for it. `delete`: it is removed. `keep_waiting`: it is
   * removed unless its graph waits at an interrupt or a breakpoint. Absent: the thread existed before, or is kept.
   */
  on_completion?: 'delete' | 'keep' | 'keep_waiting'
}

/** The fields of a run on the wire. */
export interface Run {
  run_id: string
  thread_id: string
  assistant_id: string
  created_at: string
  updated_at: string
  status: RunStatus
  metadata: JsonObject
  kwargs: RunKwargs
  multitask_strategy: MultitaskStrategy
  /** How often the run was started: again each time its server was lost. 0: it was never started. */
  attempt: number
  /** Why it was cancelled: a word, a colon, a sentence (`taken: …`). `null`: it was not cancelled. */
  cancel_reason: string | null
  /** `null`: it was not asked to stop, or was not running then. */
  stop_outcome: StopOutcome | null
  /** The LangSmith project of its trace. `null`: the server did not trace when the run was made. */
  langsmith_session_name?: string | null | undefined
}

/** Why a run failed: the class name of the error, and its message. */
export interface RunError {
  error: string
  message: string
  /** Only for `UnknownInterruptError`. */
  refusal?: ResumeRefusal
}

/** Why a strict answer was refused, and what is still open. Source: LangGraph 1.7 and its SDK. */
export type ResumeRefusal = {
  reason: 'not_pending' | 'ambiguous' | 'empty_map'
  /** The named interrupts that are not open. */
  interrupt_ids: string[]
  pending_ids: string[]
}

/** A run with the fields that the queue needs. */
export interface QueuedRun extends Run {
  /** The run may not be claimed before this moment (`after_seconds`), in ms since 1970. */
  available_at: number
  /** Set when the run was cancelled while it was running. */
  cancel_action: CancelAction | null
  error: RunError | null
  /** When the run was claimed for the first time, in ms since 1970. */
  started_at: number | null
  /** The request that made it; `null`: unknown. */
  origin: RunOrigin | null
  /** Its thread was added with it, in this process: no other run can have used it. Not stored. */
  has_new_thread?: true
}

/** A run as it is read from the store. */
export interface StoredRun extends QueuedRun {
  /** The position in the order received, over all threads of the database. */
  seq: number
}

/**
 * The right to execute one run. Each claim gives a higher `token`. A write for the run is refused unless
 * it has the latest token, so that a server that lost its lease can write no more.
 */
export interface Lease {
  run_id: string
  server_id: string
  token: number
}

/** The token of a run's first lease. */
export const FIRST_TOKEN = 1

/** The state of a lease after its renewal. */
export interface LeaseState {
  run_id: string
  /** `false`: another server has the run, or the run is gone. Stop at once. */
  held: boolean
  /** Set when the run was cancelled meanwhile. */
  cancel_action: CancelAction | null
}

export type NewRun = Omit<
  QueuedRun,
  'attempt' | 'cancel_action' | 'cancel_reason' | 'stop_outcome' | 'error' | 'started_at' | 'origin'
> & { origin?: RunOrigin }

/** The end of a run, for its row. */
export interface RunFinish {
  status: RunStatus
  error: RunError | null
  /** Absent: it was not asked to stop. */
  stop_outcome?: StopOutcome
  /** The last part of its timeline. */
  timeline?: TimelineEntry
  updated_at: string
}

/** Times in ms since 1970. */
export interface Claim {
  server_id: string
  now: number
  lease_expires_at: number
  /** Runs of these graphs are not claimed, and neither are the runs behind them on the same threads. */
  except_graphs?: readonly string[]
  /**
   * `suspects`: only runs that become suspects by this claim, and none while another suspect executes
   * alone anywhere. `others`: all except those. Default: all.
   */
  only?: 'suspects' | 'others'
}

/** With this a run is added as already claimed. */
export type AddedClaim = Pick<Claim, 'server_id' | 'now' | 'lease_expires_at'>

export interface ClaimedRun {
  run: QueuedRun
  lease: Lease
}

/** The runs that have not ended. */
export interface QueueFigures {
  /** Pending runs that are due. */
  waiting: number
  /** Pending runs that are not due yet (`after_seconds`). */
  delayed: number
  running: number
  /** When the run that waits longest was due, in ms since 1970. `null`: none waits. */
  oldest_due_at: number | null
}

/** Selects runs: those that meet all given conditions. */
export interface RunQuery {
  run_id?: string
  status?: RunStatus
  /** Whether it ended with a question that its thread still waits to have answered. */
  is_waiting?: boolean
  assistant_id?: string
  thread_id?: string
  /** A part of the run's metadata. */
  metadata?: JsonObject
  /** A condition on their threads' metadata: the caller sees no others. */
  filter?: MetadataFilter
  /** A part of the error's name or message, whatever the case. */
  error?: string
  /** Created from this moment on, and before that one. */
  created_after?: string
  created_before?: string
}

/** A run in a list. Without `excerpt` it has not ended, or it is from an older version. */
export type FoundRun = StoredRun & { excerpt?: RunExcerpt; is_waiting: boolean }

/** The fields of a run that most callers need. */
export type RunGlance = Pick<QueuedRun, 'run_id' | 'thread_id' | 'status' | 'updated_at'>

/** The runs of one database. Every method is one atomic step. */
export interface RunStore {
  /** How often a run that loses its server each time is started before it ends in `error`. */
  readonly maxAttempts: number
  /**
   * Adds a run at the end of the order, and returns it as stored; in a transaction on PostgreSQL it is only sent.
   * Without `claim` it is pending. With `claim` it is running, under a lease with the token `FIRST_TOKEN`: no other run
   * of its thread may be pending or running.
   */
  insert(run: NewRun, claim?: AddedClaim): Promise<QueuedRun>
  get(run_id: string): Promise<StoredRun | undefined>
  /** The same without large fields, for frequent calls. */
  glance(run_id: string): Promise<RunGlance | undefined>
  /** In a transaction: reads the run and locks it until the transaction ends. */
  hold(run_id: string): Promise<StoredRun | undefined>
  /** The runs of a thread, the last received first. */
  list(
    thread_id: string,
    page: { status?: RunStatus; limit: number; offset: number },
  ): Promise<StoredRun[]>
  /** The runs of all existing threads, the last received first; only those with a `seq` below `before`. */
  search(query: RunQuery, page: { limit: number; before?: number }): Promise<FoundRun[]>
  /**
   * The same runs, but only those that mention the text, whatever its case: in their input (up to 16 KiB), in their
   * answer to a question, or in their excerpt. It looks at the last received 1,000 runs of the query below `before`, and
   * at no more than 16 MiB of them. `lookedAt` is given if there are more.
   */
  searchText(
    query: RunQuery,
    text: string,
    page: { limit: number; before?: number },
  ): Promise<{ runs: FoundRun[]; lookedAt?: number }>
  /** Whether any run of the thread is pending or running. */
  hasActive(thread_id: string): Promise<boolean>
  /** Whether at least `count` runs of the thread are pending. */
  hasPending(thread_id: string, count: number): Promise<boolean>
  /** The runs of a thread that are pending or running, in the order received. */
  listActive(thread_id: string): Promise<StoredRun[]>
  /** The runs of all threads with one of these statuses and a `seq` greater than `after`, in order. */
  listWithStatus(
    statuses: ('pending' | 'running')[],
    page: { after: number; limit: number },
  ): Promise<StoredRun[]>
  /** The runs of an assistant that are pending or running, on all threads. */
  listActiveOf(assistant_id: string): Promise<StoredRun[]>
  /** The last received run of the thread, whatever its status. */
  latest(thread_id: string): Promise<StoredRun | undefined>
  /**
   * Claims the next runs in their order, `count` at most. A claimable run is pending and due, the first
   * in the line of its thread, and no other run of its thread is running. A delayed run takes its place
   * in the line once it is due; until then later runs pass it.
   */
  claim(claim: Claim, count: number): Promise<ClaimedRun[]>
  /** Whether a claim of suspects would find one. */
  hasSuspect(claim: Pick<Claim, 'now' | 'except_graphs'>): Promise<boolean>
  /**
   * Notes that a suspect has executed alone for long enough. Other runs may now execute beside it, and
   * the loss of its server no longer ends it. `false`: the lease was lost, and nothing was written.
   */
  clear(lease: Lease): Promise<boolean>
  /** Extends the leases that are still held. Returns one state for each lease. */
  renew(leases: Lease[], lease_expires_at: number): Promise<LeaseState[]>
  /**
   * Ends the run of this lease, in the same transaction as the other writes of the store. `false`: nothing was written,
   * because the lease was lost, or because the run must be rolled back instead.
   */
  finish(lease: Lease, end: RunFinish): Promise<boolean>
  /**
   * Whether the lease is the latest one of its run and the run is running. In a transaction it stays so until that
   * ends.
   */
  holds(lease: Lease): Promise<boolean>
  /** Ends a pending run as interrupted, before it has run. `false`: it was not pending. */
  interruptPending(run_id: string, updated_at: string, reason?: string): Promise<boolean>
  /**
   * Requests the end of a run that has started, with a reason; the first reason stays. A run that was handed back, or
   * whose server died, is pending: the server that claims it next ends it. `false`: it is over, or was never claimed.
   */
  requestCancel(run_id: string, action: CancelAction, reason?: string): Promise<boolean>
  /** Replaces the run's `kwargs`, whose input must be the same as before. `false`: there is no such run. */
  setKwargs(run_id: string, kwargs: RunKwargs): Promise<boolean>
  /** Removes the row. The run's checkpoints are removed separately. */
  delete(run_id: string): Promise<boolean>
  /**
   * Makes running runs pending again, at their old place, when their lease expired before `now` or their server is in
   * `dead_servers`. Runs whose attempts are used up, all of which executed alone, stay running and are returned
   * separately: the caller ends them.
   */
  release(from: {
    now: number
    dead_servers: string[]
  }): Promise<{ released: string[]; exhausted: { run: QueuedRun; lease: Lease }[] }>
  /**
   * Hands a running run back, for a server that stops. It is pending again, at its old place, as if it
   * had not been claimed: the attempt does not count, and a noted `cancel_action` stays. `false`: the
   * lease was lost, and nothing was written.
   */
  giveBack(lease: Lease): Promise<boolean>
  /**
   * Expires a lease at once, for a run that lost its executing process: the next `release` takes it up, and the attempt
   * counts. `false`: the lease was lost, and nothing was written.
   */
  expire(lease: Lease): Promise<boolean>
  /** How many threads have a run that could be claimed now. */
  countClaimable(now: number): Promise<number>
  /** `now` in ms since 1970. */
  figures(now: number): Promise<QueueFigures>
  /** When the next delayed run is due, in ms since 1970. */
  nextDue(now: number): Promise<number | undefined>
}

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
import type { JsonObject, JsonValue } from '../json.ts'
import type { RunOrigin } from '../origin.ts'
import type { MultitaskStrategy } from './multitask-strategy.ts'
import type { StreamMode } from './stream-mode.ts'

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
 * How often a run is begun that loses its server each time, before it ends in `error`. From the last
 * of these attempts on it is a suspect: it may be what takes its servers down, so it executes alone.
 */
export const MAX_RUN_ATTEMPTS = 3

/**
 * How the graph of a run that was told to stop (cancelled, superseded, out of time) came to its end:
 * the functions of its nodes ended in time, or they went on and were cut off from the thread, so that
 * nothing that they still do is written.
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

/** What resumes or steers a thread instead of `input`. */
export interface RunCommand {
  update?: JsonValue
  resume?: JsonValue
  goto?: JsonValue
}

/** What the run was created with; answered as `kwargs`. Absent fields were not given. */
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
  /** `v2`: its log is written for the thread-centred protocol. Absent: for the legacy streams. */
  stream_protocol?: 'v2'
  durability?: 'sync' | 'async' | 'exit'
  stream_resumable?: boolean
  /** Refuses an answer to an interrupt that is not open: the run fails and changes nothing. */
  strict_resume?: boolean
  /** Where the run's end is to be posted. */
  webhook?: string
  feedback_keys?: string[]
  langsmith_tracer?: JsonObject
  /** `delete`: the run made its thread, which goes when the run ends. */
  on_completion?: 'delete' | 'keep'
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
  /** How often it was begun: once more whenever its server was lost. 0: it waits for the first time. */
  attempt: number
  /** Why it was cancelled: a word, a colon, a sentence (`taken: …`). `null`: nobody cancelled it. */
  cancel_reason: string | null
  /** `null`: it was not told to stop, or was not running then. */
  stop_outcome: StopOutcome | null
}

/** Why a run failed: the class name of the error, and its message. */
export interface RunError {
  error: string
  message: string
}

/** A run with what the queue keeps about it. */
export interface QueuedRun extends Run {
  /** Place in the order received, over all threads of the database. */
  seq: number
  /** Not to be claimed before this moment (`after_seconds`), in ms since 1970. */
  available_at: number
  /** Someone asked for its end while it was running. */
  cancel_action: CancelAction | null
  error: RunError | null
  /** When it was claimed for the first time, in ms since 1970. */
  started_at: number | null
  /** The request that made it; `null`: unknown. */
  origin: RunOrigin | null
}

/**
 * The right to execute one run. Each claim gives a higher `token`; whatever is written for the run
 * is refused unless it carries the latest one, so a server that lost its lease can write no more.
 */
export interface Lease {
  run_id: string
  server_id: string
  token: number
}

/** What became of a lease at its renewal. */
export interface LeaseState {
  run_id: string
  /** `false`: another server has the run, or it is gone. Stop at once. */
  held: boolean
  /** What was asked of the run meanwhile. */
  cancel_action: CancelAction | null
}

export type NewRun = Omit<
  QueuedRun,
  | 'seq'
  | 'attempt'
  | 'cancel_action'
  | 'cancel_reason'
  | 'stop_outcome'
  | 'error'
  | 'started_at'
  | 'origin'
> & { origin?: RunOrigin }

/** How a run ended, for its row. */
export interface RunFinish {
  status: RunStatus
  error: RunError | null
  /** Absent: it was not told to stop. */
  stop_outcome?: StopOutcome
  updated_at: string
}

/** Times in ms since 1970. */
export interface Claim {
  server_id: string
  now: number
  lease_expires_at: number
  /** Runs of these graphs are left where they are, with their threads' lines behind them. */
  except_graphs?: readonly string[]
  /**
   * `suspects`: only runs that this claim makes suspects, and none while another one executes alone
   * anywhere. `others`: all but those. Default: whatever there is.
   */
  only?: 'suspects' | 'others'
}

export interface ClaimedRun {
  run: QueuedRun
  lease: Lease
}

/** Whether a claimed run may be what takes its servers down. Of one that is to end nothing is executed. */
export function isSuspect({ attempt, cancel_action }: QueuedRun): boolean {
  return attempt >= MAX_RUN_ATTEMPTS && cancel_action === null
}

/** The runs that are not over. */
export interface QueueFigures {
  /** Pending and due. */
  waiting: number
  /** Pending and not due yet (`after_seconds`). */
  delayed: number
  running: number
  /** When the one that waits longest was due, in ms since 1970; `null`: none waits. */
  oldest_due_at: number | null
}

/** The runs of one database. Every method is one atomic step. */
export interface RunStore {
  /** Adds a pending run at the end of the order and answers it as stored. */
  insert(run: NewRun): Promise<QueuedRun>
  get(run_id: string): Promise<QueuedRun | undefined>
  /** Part of a transaction: the run as it is, and stays for all others until the transaction ends. */
  hold(run_id: string): Promise<QueuedRun | undefined>
  /** A thread's runs, the one received last first. */
  list(
    thread_id: string,
    page: { status?: RunStatus; limit: number; offset: number },
  ): Promise<QueuedRun[]>
  /** Whether any run of the thread is pending or running. */
  hasActive(thread_id: string): Promise<boolean>
  /** Whether at least `count` runs of the thread are pending. */
  hasPending(thread_id: string, count: number): Promise<boolean>
  /** The runs of a thread that are pending or running, in the order received. */
  listActive(thread_id: string): Promise<QueuedRun[]>
  /** Those of all threads with one of these statuses and a `seq` greater than `after`, in order. */
  listWithStatus(
    statuses: ('pending' | 'running')[],
    page: { after: number; limit: number },
  ): Promise<QueuedRun[]>
  /** The runs of an assistant that are pending or running, on all threads. */
  listActiveOf(assistant_id: string): Promise<QueuedRun[]>
  /** The thread's run that was received last, whatever its status. */
  latest(thread_id: string): Promise<QueuedRun | undefined>
  /**
   * Hands out the next `count` runs at most, in their order: pending, due, first in its thread's line, no
   * other run of its thread running. Fewer are answered when there are no more. A delayed run stands in
   * the line, at its place, once it is due; until then later runs pass it.
   */
  claim(claim: Claim, count: number): Promise<ClaimedRun[]>
  /** Whether a claim of suspects would find one. */
  hasSuspect(claim: Pick<Claim, 'now' | 'except_graphs'>): Promise<boolean>
  /**
   * Notes that a suspect has executed alone for long enough: others may execute beside it, and its
   * loss from now on does not end it. `false`: the lease was lost, nothing was written.
   */
  clear(lease: Lease): Promise<boolean>
  /** Prolongs the leases that are still held; answers one state for each lease given. */
  renew(leases: Lease[], lease_expires_at: number): Promise<LeaseState[]>
  /**
   * Ends the run that this lease is for, in the same transaction as whatever else `tx` does.
   * `false`: the lease was lost, nothing was written.
   */
  finish(lease: Lease, end: RunFinish): Promise<boolean>
  /** `true` while the lease is the latest one of its run and the run is running. */
  holds(lease: Lease): Promise<boolean>
  /** The same with what was asked of the run; in a transaction it stays so until that ends. */
  look(lease: Lease): Promise<LeaseState>
  /** A pending run ends as interrupted, without having run. `false`: it was not pending. */
  interruptPending(run_id: string, updated_at: string, reason?: string): Promise<boolean>
  /**
   * Notes on a run that has begun that it shall end, and why; the first reason stays. One that was
   * handed back, or whose server died, is pending: who claims it next ends it. `false`: it is over,
   * or was never claimed.
   */
  requestCancel(run_id: string, action: CancelAction, reason?: string): Promise<boolean>
  /** Replaces what the run is called with. `false`: there is no such run. */
  setKwargs(run_id: string, kwargs: RunKwargs): Promise<boolean>
  /** Removes the row. Its checkpoints are another store's. */
  delete(run_id: string): Promise<boolean>
  /**
   * Puts the running runs whose lease ran out before `now`, or whose server is in `dead_servers`,
   * back to pending, at their old place. Those whose attempts are used up, who executed alone, are
   * answered separately and left running: the caller ends them.
   */
  release(from: {
    now: number
    dead_servers: string[]
  }): Promise<{ released: string[]; exhausted: { run: QueuedRun; lease: Lease }[] }>
  /**
   * Hands a running run back: pending again, at its old place, as if this claim had not been (the
   * attempt does not count; a noted `cancel_action` stays). For a server that stops. `false`: the
   * lease was lost, nothing was written.
   */
  giveBack(lease: Lease): Promise<boolean>
  /** How many threads have a run that could be claimed now. */
  countClaimable(now: number): Promise<number>
  /** `now` in ms since 1970. */
  figures(now: number): Promise<QueueFigures>
  /** When the next delayed run is due, in ms since 1970. */
  nextDue(now: number): Promise<number | undefined>
}

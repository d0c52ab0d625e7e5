/** Limits on the server's load, set by its operator. Each refusal names the setting. */
import type { AgentStore } from '../core/agent/agent-store.ts'
import type { RunStore } from '../core/agent/run.ts'
import type { Clock } from '../core/clock.ts'
import { AppError, invalidField } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'

export interface Limits {
  /** How many runs may wait on one thread. Default 1,000. */
  maxPendingRunsPerThread: number
  /** How many runs may wait in all. Default 100,000. */
  maxPendingRuns: number
  /** How many requests a caller may send in a second; `undefined`, the default: any number. */
  maxRequestsPerSecond?: number | undefined
  /**
   * Memory for the events of each run that has readers, in bytes of text. A reader takes a quarter of it
   * at a time. Default 1 MiB.
   */
  streamBufferBytes: number
  /** Size at which a page of threads or of a history ends before its `limit`, in bytes. Default 32 MiB. */
  pageBytes: number
  /** Total size of all answers that clients have not read yet; see `AnswerBudget`. Default 128 MiB. */
  answerBytes: number
  /** How large metadata may be, in bytes of JSON. Default 64 KiB. */
  metadataBytes: number
}

export const DEFAULT_LIMITS: Limits = {
  maxPendingRunsPerThread: 1_000,
  maxPendingRuns: 100_000,
  streamBufferBytes: 1_048_576,
  pageBytes: 32 * 1024 ** 2,
  answerBytes: 128 * 1024 ** 2,
  metadataBytes: 64 * 1024,
}

/** When a refused client may try again, in s. */
const RETRY_AFTER_SECONDS = 5

/**
 * Part of the transaction that adds a run to an existing thread. A 429 and not a 503: this caller's
 * thread is full, and a repeat is safe because nothing has been created yet.
 */
export async function requireRoomOnThread(
  tx: AgentStore,
  thread_id: string,
  { maxPendingRunsPerThread: max }: Limits,
): Promise<void> {
  if (!(await tx.runs.hasPending(thread_id, max))) return
  throw new AppError(
    'too_many_requests',
    `Thread ${thread_id} has ${max} runs waiting, as many as it may have ` +
      '(RUNYARD_MAX_PENDING_RUNS_PER_THREAD). Wait until some of them have ended.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
}

/**
 * Throws `invalid` for metadata above the limit. Stored metadata (`before`) that is already larger may change but not
 * grow. The limit exists because searches read the metadata, and every result page carries it.
 */
export function requireMetadataFits(
  { metadataBytes: max }: Limits,
  metadata: JsonObject,
  before: JsonObject = {},
): void {
  const bytes = bytesOf(metadata)
  if (bytes <= max || bytes <= bytesOf(before)) return
  throw invalidField(
    ['body', 'metadata'],
    `The metadata has ${bytes} bytes, and may have ${max} (RUNYARD_MAX_METADATA_BYTES). Keep what is large in the ` +
      "thread's values or in the store.",
  )
}

function bytesOf(value: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** How long a count is valid, in ms: counting a long queue for each run would slow the queue down. */
const COUNT_MS = 1_000

/** The number of waiting runs on all threads. Includes another server's runs within a second. */
export class PendingRuns {
  readonly #runs: Pick<RunStore, 'figures'>
  readonly #clock: Clock
  readonly #max: number
  #count = 0
  #countedAt = Number.NEGATIVE_INFINITY

  constructor(runs: Pick<RunStore, 'figures'>, clock: Clock, { maxPendingRuns }: Limits) {
    this.#runs = runs
    this.#clock = clock
    this.#max = maxPendingRuns
  }

  /** Call before adding the runs. Throws `too_many_requests`. */
  async requireRoom(runs: number): Promise<void> {
    const isOld = this.#clock.now() - this.#countedAt >= COUNT_MS
    if (isOld || this.#count + runs > this.#max) await this.#recount()
    if (this.#count + runs > this.#max) throw tooMany(this.#max)
    this.#count += runs
  }

  async #recount(): Promise<void> {
    const now = this.#clock.now()
    const { waiting, delayed } = await this.#runs.figures(now)
    this.#count = waiting + delayed
    this.#countedAt = now
  }
}

function tooMany(max: number): AppError {
  return new AppError(
    'too_many_requests',
    `${max} runs are waiting, as many as this server takes (RUNYARD_MAX_PENDING_RUNS). Try again later.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
}

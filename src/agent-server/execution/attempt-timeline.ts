/**
 * The timeline of one attempt at a run, as it comes to be: what is at work is written from time to time, so that it
 * can be seen while the run goes on and is there if the server dies. The rest is written with the run's end: a short
 * run costs one row, in a transaction that it has anyway.
 */
import {
  type AttemptOutcome,
  TIMELINE_LIMITS,
  type TimelineEntry,
  type TimelineSpan,
} from '../../core/agent/timeline/timeline.ts'
import type { Parts } from '../parts.ts'
import type { Claimed } from './finish.ts'

/** When the first part is written, and how long after each the next, in ms. */
const FIRST_MS = 250
const NEXT_MS = 1_000

type AttemptTimelineParts = Pick<Parts, 'store' | 'revisionId' | 'clock' | 'log'>

export class AttemptTimeline {
  readonly #parts: AttemptTimelineParts
  readonly #claimed: Claimed
  readonly #startedAt: number
  readonly #seen = new Set<string>()
  /** Those that have changed since they were written. */
  #unwritten = new Map<string, TimelineSpan>()
  #chars = 0
  #leftOut = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(parts: AttemptTimelineParts, claimed: Claimed) {
    this.#parts = parts
    this.#claimed = claimed
    this.#startedAt = parts.clock.now()
    this.#plan(FIRST_MS)
  }

  /** See `RunCalls`. */
  onSpans(spans: readonly TimelineSpan[]): void {
    if (this.#isClosed) return
    for (const span of spans) this.#note(span)
  }

  /**
   * The attempt is over: answers what is not written yet, for the caller to write. `undefined`: it was closed before.
   */
  async close(outcome: AttemptOutcome): Promise<TimelineEntry | undefined> {
    if (this.#isClosed) return undefined
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#writing
    return this.#take(outcome, this.#parts.clock.now())
  }

  /** The same, written under the lease as far as that goes: nobody ends the run here. Never rejects. */
  async leave(outcome: AttemptOutcome): Promise<void> {
    const entry = await this.close(outcome)
    if (entry) await this.#write(entry)
  }

  #note(span: TimelineSpan): void {
    const isNew = !this.#seen.has(span.span_id)
    if (isNew && this.#seen.size >= TIMELINE_LIMITS.spans) {
      if (span.ended_at !== null) this.#leftOut += 1
      return
    }
    this.#seen.add(span.span_id)
    this.#unwritten.set(span.span_id, this.#within(span))
  }

  /** Without its texts where there are too many; with what it failed is always told, but for the stack. */
  #within(span: TimelineSpan): TimelineSpan {
    const { input = '', output = '', interrupts = '', error } = span
    const own = input.length + output.length + interrupts.length + (error?.stack?.length ?? 0)
    if (own === 0) return span
    const chars = this.#chars + own
    if (chars > TIMELINE_LIMITS.totalChars) return withoutTexts(span)
    // Those that are at work are told again, with the same input.
    if (span.ended_at !== null) this.#chars = chars
    return span
  }

  #plan(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#writing = this.#writePart({ isFirst: ms === FIRST_MS })
    }, ms)
    this.#timer.unref()
  }

  async #writePart({ isFirst }: { isFirst: boolean }): Promise<void> {
    if (isFirst || this.#unwritten.size > 0) await this.#write(this.#take('running'))
    if (!this.#isClosed) this.#plan(NEXT_MS)
  }

  #take(outcome: AttemptOutcome, ended_at: number | null = null): TimelineEntry {
    const { run, lease } = this.#claimed
    const spans = [...this.#unwritten.values()]
    this.#unwritten = new Map()
    const { token, server_id } = lease
    return {
      attempt: {
        token,
        attempt: run.attempt,
        server_id,
        pid: process.pid,
        revision_id: this.#parts.revisionId ?? null,
        started_at: this.#startedAt,
        ended_at,
        outcome,
        left_out: this.#leftOut,
      },
      spans,
    }
  }

  async #write(entry: TimelineEntry): Promise<void> {
    const { store, clock, log } = this.#parts
    const { run, lease } = this.#claimed
    try {
      await store.timelines.add(lease, entry, clock.now())
    } catch (err) {
      log.debug({ run_id: run.run_id, err }, 'could not write a part of the timeline')
      for (const span of entry.spans) {
        if (!this.#unwritten.has(span.span_id)) this.#unwritten.set(span.span_id, span)
      }
    }
  }
}

function withoutTexts({ input, output, interrupts, error, ...span }: TimelineSpan): TimelineSpan {
  if (!error) return span
  const { stack: _, ...told } = error
  return { ...span, error: told }
}

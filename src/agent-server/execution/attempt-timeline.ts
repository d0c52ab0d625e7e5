/**
 * Records the timeline of one attempt at a run. Spans are written from time to time, so that they are visible
 * while the run goes on and survive a crash of the server. The rest is written with the run's end: a short run costs
 * one row, in a transaction that it has anyway.
 */
import type { ClaimedRun } from '../../core/agent/run.ts'
import {
  type AttemptOutcome,
  TIMELINE_LIMITS,
  type TimelineEntry,
  type TimelineSpan,
} from '../../core/agent/timeline/timeline.ts'
import type { Parts } from '../agent-server-parts.ts'

/** Delay before the first write, and between later writes, in ms. */
const FIRST_MS = 250
const NEXT_MS = 1_000

type AttemptTimelineParts = Pick<Parts, 'store' | 'revisionId' | 'clock' | 'log'>

export class AttemptTimeline {
  readonly #parts: AttemptTimelineParts
  readonly #claimed: ClaimedRun
  readonly #startedAt: number
  readonly #seen = new Set<string>()
  /** Spans that have changed since they were written. */
  #unwritten = new Map<string, TimelineSpan>()
  #chars = 0
  #leftOut = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(parts: AttemptTimelineParts, claimed: ClaimedRun) {
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
   * Ends the timeline and returns the unwritten rest, which the caller writes. `undefined`: it was already closed.
   */
  async close(outcome: AttemptOutcome): Promise<TimelineEntry | undefined> {
    if (this.#isClosed) return undefined
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#writing
    return this.#take(outcome, this.#parts.clock.now())
  }

  /** Closes and writes the rest itself, if the lease is still held: the run does not end here. Never rejects. */
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

  /** Removes the span's texts, and the stack of its error, if the attempt has too many texts. Keeps the error. */
  #within(span: TimelineSpan): TimelineSpan {
    const { input = '', output = '', interrupts = '', error } = span
    const own = input.length + output.length + interrupts.length + (error?.stack?.length ?? 0)
    if (own === 0) return span
    const chars = this.#chars + own
    if (chars > TIMELINE_LIMITS.totalChars) return withoutTexts(span)
    // Counts finished spans only: a running span is reported again with the same input.
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

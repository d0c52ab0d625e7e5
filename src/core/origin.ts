/**
 * What the present work belongs to: the request that caused it, and the run that it is part of. It follows the chain of
 * calls, so that every log line and every span can name it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export interface Origin {
  /** The request that is being answered, or that made the run. */
  request_id?: string | undefined
  /** The surrounding span, in the form of W3C's `traceparent` header. Only when traces are sent. */
  traceparent?: string | undefined
  thread_id?: string | undefined
  run_id?: string | undefined
  /** The node of the run's graph whose function runs. */
  node?: string | undefined
  /**
   * Ends the run that executes here with this error. Absent: no run executes here. Returns `false` when the run is
   * ending already.
   */
  fail?: ((error: unknown) => boolean) | undefined
}

/** What a run keeps of the request that made it. */
export interface RunOrigin extends Pick<Origin, 'request_id' | 'traceparent'> {
  /** The run whose graph sent the request, and waits for this run. */
  waiting_run_id?: string
}

/** The run that executes here; `undefined`: none. */
export function executingRun(): string | undefined {
  const { fail, run_id } = currentOrigin()
  return fail && run_id
}

/** The place in a run where the work is done. */
export type Place = Pick<Origin, 'run_id' | 'thread_id' | 'node'>

const NONE: Origin = {}
const current = new AsyncLocalStorage<Origin>()

/** The origin of the present chain of calls; empty when it has none. */
export function currentOrigin(): Origin {
  return current.getStore() ?? NONE
}

export function currentPlace(): Place {
  const { run_id, thread_id, node } = currentOrigin()
  return { run_id, thread_id, node }
}

/** Runs `work` with this origin instead of the surrounding one. */
export function withOrigin<T>(origin: Origin, work: () => T): T {
  return current.run(origin, work)
}

/**
 * What the work at hand belongs to: the request that asked for it, the run that it is part of. It
 * goes with the chain of calls, so that every log line and every span can say it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export interface Origin {
  /** Of the request that is answered, or that made the run. */
  request_id?: string | undefined
  /** The span around, in the form of W3C's `traceparent` header. Only where traces are sent. */
  traceparent?: string | undefined
  thread_id?: string | undefined
  run_id?: string | undefined
  /** The node of the run's graph whose function is at work. */
  node?: string | undefined
  /**
   * Ends, with this error, the run that executes here; absent where none does. `false`: it is ending
   * already.
   */
  fail?: ((error: unknown) => boolean) | undefined
}

/** What is kept with a run of the request that made it. */
export type RunOrigin = Pick<Origin, 'request_id' | 'traceparent'>

/** Where in a run the work is. */
export type Place = Pick<Origin, 'run_id' | 'thread_id' | 'node'>

const NONE: Origin = {}
const current = new AsyncLocalStorage<Origin>()

/** Of the present chain of calls; empty where there is none. */
export function currentOrigin(): Origin {
  return current.getStore() ?? NONE
}

export function currentPlace(): Place {
  const { run_id, thread_id, node } = currentOrigin()
  return { run_id, thread_id, node }
}

/** Does the work under this origin, in place of the one around. */
export function withOrigin<T>(origin: Origin, work: () => T): T {
  return current.run(origin, work)
}

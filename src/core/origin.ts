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
  /**
   * Ends, with this error, the run that executes here; absent where none does. `false`: it is ending
   * already.
   */
  fail?: ((error: unknown) => boolean) | undefined
}

/** What is kept with a run of the request that made it. */
export type RunOrigin = Pick<Origin, 'request_id' | 'traceparent'>

const NONE: Origin = {}
const current = new AsyncLocalStorage<Origin>()

/** Of the present chain of calls; empty where there is none. */
export function currentOrigin(): Origin {
  return current.getStore() ?? NONE
}

/** Does the work under this origin, in place of the one around. */
export function withOrigin<T>(origin: Origin, work: () => T): T {
  return current.run(origin, work)
}

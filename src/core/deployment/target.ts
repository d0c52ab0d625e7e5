/** The gateway, as the control plane sees it: names, and what answers under them. */
import type { Principal } from '../people/api-key.ts'
import type { Endpoints } from './runtime.ts'

export interface Target {
  deployment_id: string
  /** Whose keys may call it. */
  workspace_id: string
  revision_id: string
  /** Its agent servers: each request goes to the least busy one. */
  endpoints: Endpoints
}

/** How long requests wait for a name whose agent server is on its way. */
export interface Hold {
  deployment_id: string
  workspace_id: string
  /** In ms, for each request from its arrival; then it is answered 503 with `Retry-After`. */
  limitMs: number
  /** It sleeps; called when a request that may wake it begins to wait. */
  onRequest?: () => void
  /** Whether the project's own auth decides who may call it. Absent: as what ran last has said. */
  hasOwnAuth?: boolean
}

/** What a name leads to just now. */
export type TargetState =
  /** 404 */
  | { kind: 'unknown' }
  | { kind: 'serving'; revision_id: string; endpoints: Endpoints }
  | { kind: 'held' }
  /** Held for what sleeps. `isWanted`: a request that may wake it has come since. */
  | { kind: 'asleep'; isWanted: boolean }
  | { kind: 'paused' }

/** Whether what sleeps there has been asked for. */
export function isWanted(target: TargetState): boolean {
  return target.kind === 'asleep' && target.isWanted
}

export interface TargetTable {
  /** Answers from memory. */
  observe(name: string): TargetState
  /** From now on new requests to the name, and those that wait, go to this target. */
  set(name: string, target: Target): void
  /** From now on requests to the name wait for a target; it is being started or will be. */
  hold(name: string, hold: Hold): void
  /** From now on the name answers 503 with `Retry-After` (it has a deployment, but nothing runs). */
  pause(name: string, deployment: { deployment_id: string; workspace_id: string }): void
  /** From now on the name answers 404. */
  remove(name: string): void
  /**
   * Settles when no request to the revision (where `url` is given: to that agent server of it) is
   * open any more. After `limitMs` open event streams and WebSockets are cut (sockets destroyed, so
   * that clients reconnect and resume), and after `graceMs` more, ten minutes by default,
   * whatever is open.
   */
  drain(
    what: { revision_id: string; url?: string },
    limitMs: number,
    graceMs?: number,
  ): Promise<void>
  /** The requests of a name: how many are open or wait, and when the last one ended or came. */
  activity(name: string): Activity
}

export interface Activity {
  open: number
  /** ms since 1970; the time of the gateway's start when there was none */
  last_at: number
}

/**
 * Who a request comes from, by its headers (`x-api-key`, `authorization`, `x-tenant-id`). Throws
 * `unauthenticated` without a valid key, `forbidden` when the key is not of the named workspace.
 */
export type Authenticate = (headers: Headers) => Promise<Principal>

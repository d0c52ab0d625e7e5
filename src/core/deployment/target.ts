/** The gateway as the control plane sees it: names, and the agent servers behind them. */

import type { Principal } from '../people/api-key.ts'
import type { HeaderReader } from '../people/sent-key.ts'
import type { Endpoints } from './runtime.ts'

/** The owner of a name. */
export interface TargetOwner {
  deployment_id: string
  /** The workspace whose keys may call it. */
  workspace_id: string
  /** The listener whose gateway serves it; absent: this one does. */
  listener_id?: string
}

export interface Target extends TargetOwner {
  revision_id: string
  /** Its agent servers. Each request goes to the least busy one. */
  endpoints: Endpoints
}

/** How requests wait while the agent server of a name is starting. */
export interface Hold extends TargetOwner {
  /** How long each request waits after its arrival, in ms. Then it gets a 503 with `Retry-After`. */
  limitMs: number
  /** Set when the deployment sleeps: called when a request begins to wait that may wake it. */
  onRequest?: () => void
  /** Whether the project's own auth decides who may call it. Absent: as its last agent server reported. */
  hasOwnAuth?: boolean
}

/** How a deployment admits requests, whatever its current target. */
export interface Entrance {
  /** Requests need no key. The project's own auth, if any, still decides. */
  isPublic: boolean
  /**
   * Its own hosts at a listener's gateway. Empty for this gateway, which gets its hosts separately (`HostTable`): it
   * must know them while another control plane leads, too.
   */
  hosts: readonly string[]
}

/** With a key, by the name alone. */
export const CLOSED: Entrance = { isPublic: false, hosts: [] }

/** The current state of a name. */
export type TargetState =
  /** 404 */
  | { kind: 'unknown' }
  | { kind: 'serving'; revision_id: string; endpoints: Endpoints }
  | { kind: 'held' }
  /** Held while asleep. `isWanted`: a request that may wake it has arrived since. */
  | { kind: 'asleep'; isWanted: boolean }
  | { kind: 'paused' }

/** Whether a request should wake the deployment. */
export function isWanted(target: TargetState): boolean {
  return target.kind === 'asleep' && target.isWanted
}

export interface TargetTable {
  /** Reads from memory. */
  observe(name: string): TargetState
  /** From now on new requests to the name, and those that wait, go to this target. */
  set(name: string, target: Target): void
  /** From now on requests to the name wait for a target, which is being started or soon will be. */
  hold(name: string, hold: Hold): void
  /** From now on the name answers 503 with `Retry-After`: it has a deployment, but nothing runs. */
  pause(name: string, owner: TargetOwner): void
  /** How the name admits requests; reads from memory. `CLOSED` if never set. */
  entrance(name: string): Entrance
  /** From now on the name admits requests like this, until it is removed. The name may not exist yet. */
  enter(name: string, entrance: Entrance): void
  /** From now on the name answers 404. */
  remove(name: string): void
  /**
   * Resolves when no request to the revision is open any more; with `url`, to this agent server. After `limitMs`
   * streams of runs continue at another one where they can; the sockets of other event streams and of WebSockets are
   * destroyed, so that clients reconnect and resume. After `graceMs` more, ten minutes by default, the same happens to
   * all other requests.
   */
  drain(
    what: { revision_id: string; url?: string },
    limitMs: number,
    graceMs?: number,
  ): Promise<void>
  /** How many requests to the name are open or wait, and when the last one came or ended. */
  activity(name: string): Activity
}

/** A gateway's table that also knows names served elsewhere. */
export interface ReferringTable extends TargetTable {
  /** From now on requests to the name get a 404 that names its address, `url`; `null`: not known yet. */
  refer(name: string, where: { workspace_id: string; url: string | null }): void
}

/** The deployments' own hosts: `agents.example.com` → `support`. */
export interface HostTable {
  /** From now on requests to these hosts, and to no others, go to the deployments with these names. */
  replace(names: ReadonlyMap<string, string>): void
}

export interface Activity {
  open: number
  /** In ms since 1970. The time of the gateway's start when there was no request. */
  last_at: number
}

/**
 * Identifies the sender of a request by its headers: `x-api-key`, `authorization`, or a session's `cookie` with the
 * headers that show which page sent it; and `x-tenant-id`. Rejects with `unauthenticated` without a valid key, with
 * `forbidden` when the key belongs to another workspace.
 */
export type Authenticate = (headers: HeaderReader) => Promise<Principal>

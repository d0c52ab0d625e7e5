/** The gateway as the control plane sees it: names, and the agent servers behind them. */
import type { HeaderReader } from '../header-reader.ts'
import type { Principal } from '../people/api-key.ts'
import type { Endpoints } from './runtime.ts'

/** Whose a name is. */
export interface TargetOwner {
  deployment_id: string
  /** The workspace whose keys may call it. */
  workspace_id: string
  /** The listener whose gateway answers under it; absent: this one does. */
  listener_id?: string
}

export interface Target extends TargetOwner {
  revision_id: string
  /** Its agent servers. Each request goes to the least busy one. */
  endpoints: Endpoints
}

/** How requests wait while the agent server of a name is starting. */
export interface Hold extends TargetOwner {
  /**
   * How long each request waits after its arrival, in ms. Then it is answered with 503 and
   * `Retry-After`.
   */
  limitMs: number
  /** Given when the deployment sleeps: called when a request begins to wait that may wake it. */
  onRequest?: () => void
  /** Whether the project's own auth decides who may call it. Absent: as its last agent server said. */
  hasOwnAuth?: boolean
}

/** How requests are let in to a deployment, whatever its name leads to just now. */
export interface Entrance {
  /** They need no key. The project's own auth still decides where it has one. */
  isPublic: boolean
  /**
   * The hosts of its own where a listener's gateway answers. None for the gateway here, which is told them apart
   * (`HostTable`): it has to know them while another control plane leads, too.
   */
  hosts: readonly string[]
}

/** With a key, and by its name alone. */
export const CLOSED: Entrance = { isPublic: false, hosts: [] }

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
  /** From now on requests to the name wait for a target, which is being started or soon will be. */
  hold(name: string, hold: Hold): void
  /** From now on the name answers 503 with `Retry-After`: it has a deployment, but nothing runs. */
  pause(name: string, owner: TargetOwner): void
  /** How requests to the name are let in; answers from memory. `CLOSED` where nobody has said. */
  entrance(name: string): Entrance
  /** From now on they are let in like this, until the name is removed. The name may have to come yet. */
  enter(name: string, entrance: Entrance): void
  /** From now on the name answers 404. */
  remove(name: string): void
  /**
   * Settles when no request to the revision is open any more; with `url`, none to that one of its agent
   * servers. After `limitMs` streams of runs go on at another one where they can; the sockets of other
   * event streams and of WebSockets are destroyed, so that clients reconnect and resume. After `graceMs`
   * more, ten minutes by default, the same becomes of everything else.
   */
  drain(
    what: { revision_id: string; url?: string },
    limitMs: number,
    graceMs?: number,
  ): Promise<void>
  /** How many requests to the name are open or wait, and when the last one came or ended. */
  activity(name: string): Activity
}

/** A table of a gateway that also knows of names which others answer under. */
export interface ReferringTable extends TargetTable {
  /** From now on requests to the name are told, with 404, that it answers at `url`; `null`: nobody knows where yet. */
  refer(name: string, where: { workspace_id: string; url: string | null }): void
}

/** The hosts of their own at which deployments answer: `agents.example.com` → `support`. */
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
 * Finds out who sent a request, from its headers: `x-api-key`, `authorization`, or a session's `cookie` with those
 * that tell whose page sends it; and `x-tenant-id`. Rejects with `unauthenticated` without a valid
 * key, with `forbidden` when the key belongs to another workspace.
 */
export type Authenticate = (headers: HeaderReader) => Promise<Principal>

/** The gateway, as the control plane sees it: names, and what answers under them. */
import type { Principal } from './api-key.ts'
import type { Endpoint } from './runtime.ts'

export interface Target {
  deployment_id: string
  /** Whose keys may call it. */
  workspace_id: string
  revision_id: string
  endpoint: Endpoint
}

export interface TargetTable {
  /** From now on new requests to the name go to this target. */
  set(name: string, target: Target): void
  /** From now on the name answers 503 with `Retry-After` (it has a deployment, but nothing runs). */
  pause(name: string, deployment: { deployment_id: string; workspace_id: string }): void
  /** From now on the name answers 404. */
  remove(name: string): void
  /**
   * Settles when no request to the revision is open any more, or after `limitMs`; what is open
   * then is cut (sockets destroyed, so that clients reconnect).
   */
  drain(revision_id: string, limitMs: number): Promise<void>
}

/**
 * Who a request comes from, by its headers (`x-api-key`, `authorization`, `x-tenant-id`). Throws
 * `unauthenticated` without a valid key, `forbidden` when the key is not of the named workspace.
 */
export type Authenticate = (headers: Headers) => Promise<Principal>

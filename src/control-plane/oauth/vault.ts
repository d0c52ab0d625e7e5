/** The parts that the vault's routes and operations use, besides the store. */
import { EventEmitter, once } from 'node:events'
import type { Clock } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import { AppError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { Outgoing } from '../../core/network/outgoing.ts'
import type { OAuthProvider } from '../../core/oauth/provider.ts'
import type { Principal } from '../../core/people/api-key.ts'
import { AuthorizationServers } from './providers/authorization-server.ts'
import { CLAIM_MS, Refreshes } from './tokens/refresh.ts'

export interface Vault {
  outgoing: Outgoing
  /** Providers that the operator offers to every workspace, by slug. */
  platformProviders: ReadonlyMap<string, OAuthProvider>
  servers: AuthorizationServers
  refreshes: Refreshes
  /** How long a server's claim to exchange a code lasts, in ms. */
  claimMs: number
  /** Wakes requests on this server that wait for a consent. */
  wakes: Wakes
}

export interface VaultParts extends Pick<Vault, 'outgoing' | 'platformProviders'> {
  /** How long a server's claim to refresh a token or exchange a code lasts, in ms; default 30,000. */
  claimMs?: number
  store: ControlPlaneStore
  clock: Clock
  log: Log
}

export function createVault(parts: VaultParts): Vault {
  const { outgoing, platformProviders, claimMs = CLAIM_MS } = parts
  const servers = new AuthorizationServers(outgoing, parts.clock)
  const refreshes = new Refreshes({ ...parts, claimMs, servers })
  return { outgoing, platformProviders, servers, refreshes, claimMs, wakes: new Wakes() }
}

// Requests of this process that wait for a consent.

/** How many requests of one caller, and of one workspace, may wait here at a time: each is an open connection. */
const MOST_WAITS = { caller: 500, workspace: 2_000 } as const

class Wakes {
  /** How many requests wait, by caller and by workspace. */
  readonly #counts = new Map<string, number>()
  readonly #woken = new EventEmitter().setMaxListeners(0)

  /** Wakes every request that waits for this consent. */
  wake(id: string): void {
    this.#woken.emit(id)
  }

  /** Does work that waits for a caller. Throws `too_many_requests` if the caller or its workspace waits too often. */
  async waitingFor<T>(
    { user_id, workspace_id }: Pick<Principal, 'user_id' | 'workspace_id'>,
    work: () => Promise<T>,
  ): Promise<T> {
    const caller = `caller ${workspace_id} ${user_id}`
    const workspace = `workspace ${workspace_id}`
    this.#requireRoom('caller', caller)
    this.#requireRoom('workspace', workspace)
    for (const one of [caller, workspace]) this.#count(one, 1)
    try {
      return await work()
    } finally {
      for (const one of [caller, workspace]) this.#count(one, -1)
    }
  }

  #requireRoom(kind: keyof typeof MOST_WAITS, key: string): void {
    const most = MOST_WAITS[kind]
    if ((this.#counts.get(key) ?? 0) < most) return
    const how = `A ${kind} may wait ${most} times at once. Ask with timeout=0 instead.`
    throw new AppError('too_many_requests', how, { retryAfterSeconds: 30 })
  }

  #count(key: string, change: number): void {
    const count = (this.#counts.get(key) ?? 0) + change
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }

  /** Settles when it is woken, after `limitMs`, or when `signal` is aborted. */
  async wait(id: string, limitMs: number, signal: AbortSignal): Promise<void> {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
    await once(this.#woken, id, { signal: ended }).catch(() => {})
  }
}

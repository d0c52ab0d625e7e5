/** The parts that the vault's routes and operations use, besides the store. */

import type { Clock } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Log } from '../../core/log.ts'
import type { Outgoing } from '../../core/network/outgoing.ts'
import type { OAuthProvider } from '../../core/oauth/provider.ts'
import { AuthorizationServers } from './providers/authorization-server.ts'
import { CLAIM_MS, Refreshes } from './tokens/refresh.ts'
import { Wakes } from './wakes.ts'

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

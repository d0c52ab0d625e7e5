/** What the vault's routes and verbs work with, besides the store. */

import type { Clock } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Log } from '../../core/log.ts'
import type { OAuthProvider } from '../../core/oauth/provider.ts'
import type { Outgoing } from '../../core/outgoing.ts'
import { AuthorizationServers } from './providers/authorization-server.ts'
import { CLAIM_MS, Refreshes } from './tokens/refresh.ts'
import { Wakes } from './wakes.ts'

export interface Vault {
  outgoing: Outgoing
  /** Providers that the operator offers to every workspace, by slug. */
  platformProviders: ReadonlyMap<string, OAuthProvider>
  servers: AuthorizationServers
  refreshes: Refreshes
  /** How long a code is one server's to be exchanged, in ms. */
  claimMs: number
  /** Tells those who wait for a consent on this server that something has happened to it. */
  wakes: Wakes
}

export interface VaultParts extends Pick<Vault, 'outgoing' | 'platformProviders'> {
  /** How long a token or a code is one server's to be exchanged, in ms; default 30,000. */
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

import type { CertifiedDomain } from './domain.ts'

/** What a read-only look finds in a control plane's database. */
export interface Inspection {
  /** The schema's version, and the oldest and newest that this code works on. */
  version: number
  oldestVersion: number
  knownVersion: number
  /** Why no Runyard may use it now, and what to do; `undefined`: it is usable. */
  held: string | undefined
  /** The database's own report of damage; `undefined`: its files are whole. */
  damage: string | undefined
  /** How many encrypted texts fail to decrypt; `undefined` without a box. */
  unopened: number | undefined
  deployment_ids: Set<string>
  revision_ids: Set<string>
  /** Deployments and their serving revisions, by name. */
  serving: { name: string; revision_id: string }[]
  /** Of all workspaces, by host. */
  certified_domains: CertifiedDomain[]
  /** The names of the deployments whose projects see the API keys of their callers. */
  forwarding_names: string[]
}

import type { CertifiedDomain } from './domain.ts'

/** What is found in a control plane's database by who looks at it without changing it. */
export interface Inspection {
  /** The schema's version, and the newest that this code knows. */
  version: number
  knownVersion: number
  /** Why no Runyard may use it now, and what to do; `undefined`: it may be used. */
  held: string | undefined
  /** What the database says of its own files; `undefined`: they are whole. */
  damage: string | undefined
  /** How many sealed texts do not open; `undefined` without a box. */
  unopened: number | undefined
  deployment_ids: Set<string>
  revision_ids: Set<string>
  /** Deployments with the revision that serves, by name. */
  serving: { name: string; revision_id: string }[]
  /** Of all workspaces, by host. */
  certified_domains: CertifiedDomain[]
  /** The names of the deployments whose projects see the API keys of their callers. */
  forwarding_names: string[]
}

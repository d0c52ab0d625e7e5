/** A domain: a host name of a deployment's own, at whose root it answers. */

/** As it is kept. The private key of its certificate is read by `certificateOf` alone. */
export interface Domain {
  id: string
  deployment_id: string
  /** In lower case and ASCII, without a dot at the end. Unique in the installation. */
  host: string
  /** In PEM: the certificate for this host, followed by its chain. `null`: the installation's is shown. */
  certificate: string | null
  created_at: string
  updated_at: string
}

/** A certificate in PEM with its private key, which is encrypted in the database. */
export interface DomainCertificate {
  certificate: string
  private_key: string
}

/** What a gateway has to know of each domain. */
export interface DomainName {
  host: string
  /** The name of its deployment. */
  name: string
  /** Another one than before: so is the certificate. `null`: it has none. */
  certificate_version: string | null
}

/** A domain with a certificate of its own. */
export interface CertifiedDomain {
  host: string
  /** The name of its deployment. */
  name: string
  /** In PEM, followed by its chain. */
  certificate: string
}

/** Where the DNS of a host leads, as far as it was found out in time. */
export const DNS_STATES = ['points_here', 'elsewhere', 'unresolved', 'unknown'] as const
export type DnsState = (typeof DNS_STATES)[number]

/** How many a deployment may have. */
export const MAX_DOMAINS = 20

/** A host that a workspace had, and since when it has not. */
export interface ReleasedDomain {
  host: string
  workspace_id: string
  released_at: string
}

export interface DomainStore {
  /** Adds the domain. `false`: the host is taken, and nothing was written. */
  insert(domain: Omit<Domain, 'certificate'>): Promise<boolean>
  get(deployment_id: string, host: string): Promise<Domain | undefined>
  /** A deployment's, the oldest first. */
  list(deployment_id: string): Promise<Domain[]>
  /** The hosts alone, in the order of `list`. */
  listHosts(deployment_id: string): Promise<string[]>
  /** Those of all workspaces. */
  listNames(): Promise<DomainName[]>
  /** `null`: it has none from now on. */
  setCertificate(
    id: string,
    certificate: DomainCertificate | null,
    updated_at: string,
  ): Promise<void>
  /** `undefined`: there is no such domain, or it has none. */
  certificateOf(host: string): Promise<DomainCertificate | undefined>
  delete(id: string): Promise<void>
  /** Notes who had the host last, in place of who had it before. */
  release(released: ReleasedDomain): Promise<void>
  /** The workspace that had the host last; `undefined`: none, or it is forgotten. */
  released(host: string): Promise<ReleasedDomain | undefined>
  /** Forgets what was released before this moment (ISO 8601). */
  forgetReleased(before: string): Promise<void>
}

/** A domain: a deployment's own host name, at whose root it answers. */

/** As stored. Only `certificateOf` reads the private key of its certificate. */
export interface Domain {
  id: string
  deployment_id: string
  /** In lower case and ASCII, without a dot at the end. Unique in the installation. */
  host: string
  /** In PEM: the certificate for this host, followed by its chain. `null`: the installation's is used. */
  certificate: string | null
  created_at: string
  updated_at: string
}

/** A certificate in PEM with its private key, which is encrypted in the database. */
export interface DomainCertificate {
  certificate: string
  private_key: string
}

/** What a gateway needs of each domain. */
export interface DomainName {
  host: string
  /** The name of its deployment. */
  name: string
  /** Changes with the certificate. `null`: it has none. */
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

/** Where the DNS of a host leads. `unknown`: it could not be determined. */
export const DNS_STATES = ['points_here', 'elsewhere', 'unresolved', 'unknown'] as const
export type DnsState = (typeof DNS_STATES)[number]

/** The most domains of one deployment. */
export const MAX_DOMAINS = 20

/** A host that a workspace gave up, and when. */
export interface ReleasedDomain {
  host: string
  workspace_id: string
  released_at: string
}

export interface DomainStore {
  /** Adds the domain. `false`: the host is taken, and nothing was written. */
  insert(domain: Omit<Domain, 'certificate'>): Promise<boolean>
  get(deployment_id: string, host: string): Promise<Domain | undefined>
  /** A deployment's domains, the oldest first. */
  list(deployment_id: string): Promise<Domain[]>
  /** The hosts alone, in the order of `list`. */
  listHosts(deployment_id: string): Promise<string[]>
  /** The domains of all workspaces. */
  listNames(): Promise<DomainName[]>
  /** `null`: removes it. */
  setCertificate(
    id: string,
    certificate: DomainCertificate | null,
    updated_at: string,
  ): Promise<void>
  /** `undefined`: no such domain, or no certificate. */
  certificateOf(host: string): Promise<DomainCertificate | undefined>
  delete(id: string): Promise<void>
  /** Stores the host's last workspace, in place of an earlier one. */
  release(released: ReleasedDomain): Promise<void>
  /** The workspace that had the host last; `undefined`: none is known. */
  released(host: string): Promise<ReleasedDomain | undefined>
  /** Removes releases from before this moment (ISO 8601). */
  forgetReleased(before: string): Promise<void>
}

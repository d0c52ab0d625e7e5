/** API keys, the workspaces and roles that they stand for, and who a request comes from. */

export const ROLES = ['admin', 'developer', 'viewer', 'agent'] as const
/**
 * `admin` may do everything; `developer` all but what touches the machine (`file://` sources) and
 * keys; `viewer` reads; `agent` only talks to deployed agents through the gateway.
 */
export type Role = (typeof ROLES)[number]

/** What a role may be asked to allow. */
export type Permission = 'read' | 'write' | 'administer' | 'call_agents'

const ALLOWED: Readonly<Record<Role, readonly Permission[]>> = {
  admin: ['read', 'write', 'administer', 'call_agents'],
  developer: ['read', 'write', 'call_agents'],
  viewer: ['read', 'call_agents'],
  agent: ['call_agents'],
}

export function isAllowed(role: Role, permission: Permission): boolean {
  return ALLOWED[role].includes(permission)
}

/** The workspace that is made with the installation. */
export const DEFAULT_WORKSPACE_ID = '00000000-0000-4000-8000-000000000001'
/** The admin key's own id: it stays when the key itself is changed. */
export const ADMIN_KEY_ID = '00000000-0000-4000-8000-000000000002'

/** Who sent a request to the control plane or through the gateway. */
export interface Principal {
  /** The owner of OAuth tokens; an API key's is the key's own id. */
  user_id: string
  workspace_id: string
  role: Role
}

/** A key as stored: never itself, only its SHA-256 in hex. */
export interface ApiKey {
  id: string
  name: string
  workspace_id: string
  role: Role
  key_hash: string
  created_at: string
  expires_at: string | null
  revoked_at: string | null
}

export interface ApiKeyStore {
  findByHash(key_hash: string): Promise<ApiKey | undefined>
  /** Adds the key, or replaces the one with the same id. */
  put(key: ApiKey): Promise<void>
}

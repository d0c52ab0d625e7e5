/** API keys, the workspaces and roles that they stand for, and who a request comes from. */
import { randomBytes } from 'node:crypto'

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

/**
 * The workspace that is made with the installation. Its admins run the installation: they make the
 * other workspaces and the first keys in them, and change the encryption key.
 */
export const DEFAULT_WORKSPACE_ID = '00000000-0000-4000-8000-000000000001'
/** The admin key's own id: it stays when the key itself is changed. */
export const ADMIN_KEY_ID = '00000000-0000-4000-8000-000000000002'

/** Whether it is an admin of the first workspace. */
export function isOperator({ role, workspace_id }: Pick<Principal, 'role' | 'workspace_id'>) {
  return role === 'admin' && workspace_id === DEFAULT_WORKSPACE_ID
}

/** A fresh key: `ry_` and 32 random bytes in base64url. */
export function newKey(): string {
  return `ry_${randomBytes(32).toString('base64url')}`
}

export const PRINCIPAL_KINDS = ['api_key', 'user', 'push_webhook'] as const

/** Who sent a request to the control plane or through the gateway. */
export interface Principal {
  /** The owner of OAuth tokens: an API key's own id, or `user:` and the subject of a signed token. */
  user_id: string
  /** What people know them by: the key's name, or what the token says. */
  name: string
  kind: (typeof PRINCIPAL_KINDS)[number]
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
  /** How the key begins, to tell one from another; `null` for one that was not made here. */
  hint: string | null
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  /** When it was taken last, to the minute. */
  last_used_at: string | null
}

export interface ApiKeyStore {
  findByHash(key_hash: string): Promise<ApiKey | undefined>
  /** Adds the key, or replaces the one with the same id. */
  put(key: ApiKey): Promise<void>
  get(id: string): Promise<ApiKey | undefined>
  /** One workspace's, newest first, the revoked ones too. */
  list(query: { workspace_id: string; limit: number; offset: number }): Promise<ApiKey[]>
  /** `false`: it is revoked already, or not there. */
  revoke(id: string, revoked_at: string): Promise<boolean>
  /** Notes that the key was taken; an earlier time than the noted one changes nothing. */
  touch(id: string, last_used_at: string): Promise<void>
}

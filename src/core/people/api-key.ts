/** API keys with their workspaces and roles, and the sender of a request. */
import { randomBytes } from 'node:crypto'

export const ROLES = ['admin', 'developer', 'viewer', 'agent'] as const
/**
 * `admin` may do everything. `developer` may do everything except use the machine (`file://` sources) and manage keys.
 * `viewer` reads, at agents too. `agent` only talks to deployed agents, through the gateway. Each may hold OAuth tokens
 * of its own.
 */
export type Role = (typeof ROLES)[number]

/**
 * What a role may permit. `agent-access.ts` lists the operations of an agent server that only look, and those that
 * talk.
 */
export type Permission =
  | 'read'
  | 'write'
  | 'administer'
  | 'look_at_agents'
  | 'talk_to_agents'
  | 'hold_tokens'

const ALLOWED: Readonly<Record<Role, readonly Permission[]>> = {
  admin: ['read', 'write', 'administer', 'look_at_agents', 'talk_to_agents', 'hold_tokens'],
  developer: ['read', 'write', 'look_at_agents', 'talk_to_agents', 'hold_tokens'],
  viewer: ['read', 'look_at_agents', 'hold_tokens'],
  agent: ['look_at_agents', 'talk_to_agents', 'hold_tokens'],
}

export function isAllowed(role: Role, permission: Permission): boolean {
  return ALLOWED[role].includes(permission)
}

/**
 * The first workspace, made with the installation. Its admins run the installation: they make the other
 * workspaces and the first keys in them, and change the encryption key.
 */
export const DEFAULT_WORKSPACE_ID = '00000000-0000-4000-8000-000000000001'
/** The id of the admin key. It stays when the key itself changes. */
export const ADMIN_KEY_ID = '00000000-0000-4000-8000-000000000002'

/** Whether this is an admin of the first workspace. */
export function isOperator({ role, workspace_id }: Pick<Principal, 'role' | 'workspace_id'>) {
  return role === 'admin' && workspace_id === DEFAULT_WORKSPACE_ID
}

/** A fresh key: `ry_` and 32 random bytes in base64url. */
export function newKey(): string {
  return `ry_${randomBytes(32).toString('base64url')}`
}

/** Whether the text looks like a key that `newKey` has made. */
export function hasKeyForm(text: string): boolean {
  return /^ry_[\w-]{43}$/.test(text)
}

export const PRINCIPAL_KINDS = ['api_key', 'user', 'push_webhook'] as const

/** Who sent a request to the control plane or through the gateway. */
export interface Principal {
  /** The owner of OAuth tokens: the id of an API key, or `user:` and the subject of a signed token. */
  user_id: string
  /** The name for people to read: that of the key, or the one in the token. */
  name: string
  kind: (typeof PRINCIPAL_KINDS)[number]
  workspace_id: string
  role: Role
}

/** A key as stored: never the key itself, only its SHA-256 in hex. */
export interface ApiKey {
  id: string
  name: string
  workspace_id: string
  role: Role
  key_hash: string
  /** The first characters of the key, to tell keys apart. `null`: the key was not made here. */
  hint: string | null
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  /** When the key was last used, to the minute. */
  last_used_at: string | null
}

export interface ApiKeyStore {
  findByHash(key_hash: string): Promise<ApiKey | undefined>
  /** Adds the key, or replaces the one with the same id. */
  put(key: ApiKey): Promise<void>
  get(id: string): Promise<ApiKey | undefined>
  /** The keys of one workspace, the newest first, revoked ones included. */
  list(query: { workspace_id: string; limit: number; offset: number }): Promise<ApiKey[]>
  /** Revokes the key. `false`: it is revoked already, or does not exist. */
  revoke(id: string, revoked_at: string): Promise<boolean>
  /** Stores when the key was used. An earlier time changes nothing. */
  touch(id: string, last_used_at: string): Promise<void>
}

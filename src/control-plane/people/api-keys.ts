/** Operations on API keys. */

import { randomUUID } from 'node:crypto'
import { timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import { AppError, invalidField } from '../../core/errors.ts'
import {
  ADMIN_KEY_ID,
  type ApiKey,
  isOperator,
  newKey,
  type Principal,
} from '../../core/people/api-key.ts'
import { answerOf } from '../../http/answer.ts'
import { hashKey } from '../../http/keys.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import {
  type ApiKeyAnswer,
  type ApiKeyCreateRequest,
  ApiKeySchema,
  type NewApiKeyAnswer,
  NewApiKeySchema,
} from './api-key-schemas.ts'
import { record } from './audit.ts'
import { requireWorkspace } from './workspaces.ts'

type Parts = Pick<ControlPlaneParts, 'store' | 'clock'>

/** How much of a key may be shown again: `ry_` and four characters of 43. */
const HINT_LENGTH = 7

/**
 * Makes a key and returns it, this once: only its hash is stored. It belongs to the principal's workspace;
 * operators may name another. Throws `not_found` for another workspace, `invalid` for an end in the past.
 */
export async function createApiKey(
  parts: Parts,
  principal: Principal,
  request: ApiKeyCreateRequest,
): Promise<NewApiKeyAnswer> {
  refusePast(request.expires_at, parts.clock.now())
  const workspace_id = request.workspace_id ?? principal.workspace_id
  const key = newKey()
  const made: ApiKey = {
    id: randomUUID(),
    name: request.name,
    workspace_id,
    role: request.role,
    key_hash: hashKey(key),
    hint: key.slice(0, HINT_LENGTH),
    created_at: timestamp(parts.clock),
    expires_at: request.expires_at ?? null,
    revoked_at: null,
    last_used_at: null,
  }
  await parts.store.transaction(async (store) => {
    await requireWorkspace(store, principal, workspace_id)
    await store.apiKeys.put(made)
    const { role, expires_at } = made
    await recordOn(parts, store, principal, made, { role, expires_at })
  })
  return answerOf(NewApiKeySchema, made, { key })
}

/** One workspace's keys, newest first, with those that were revoked. Throws `not_found`. */
export async function listApiKeys(
  { store }: Parts,
  principal: Principal,
  query: { limit: number; offset: number; workspace_id?: string | undefined },
): Promise<{ resources: ApiKeyAnswer[]; offset: number }> {
  const { limit, offset, workspace_id = principal.workspace_id } = query
  await requireWorkspace(store, principal, workspace_id)
  const found = await store.apiKeys.list({ workspace_id, limit, offset })
  return {
    resources: found.map((key) => answerOf(ApiKeySchema, key)),
    offset: offset + found.length,
  }
}

/** Throws `not_found`, for a key of another workspace too. */
export async function getApiKey({ store }: Parts, principal: Principal, id: string) {
  return answerOf(ApiKeySchema, await requireApiKey(store, principal, id))
}

/**
 * From now on the key is refused. Doing it twice is no error. Throws `not_found`, `conflict` for the
 * installation's own admin key, which must be changed in its setting or file.
 */
export async function revokeApiKey(parts: Parts, principal: Principal, id: string) {
  await parts.store.transaction(async (store) => {
    const key = await requireApiKey(store, principal, id)
    if (id === ADMIN_KEY_ID) throw isTheAdminKey()
    const isRevokedNow = await store.apiKeys.revoke(id, timestamp(parts.clock))
    if (isRevokedNow) await recordOn(parts, store, principal, key)
  })
}

async function requireApiKey(store: ControlPlaneStore, principal: Principal, id: string) {
  const key = await store.apiKeys.get(id)
  if (key && (key.workspace_id === principal.workspace_id || isOperator(principal))) return key
  throw new AppError('not_found', `API key ID ${id} not found.`)
}

function refusePast(expires_at: string | null | undefined, now: number): void {
  if (!expires_at || Date.parse(expires_at) > now) return
  throw invalidField(['body', 'expires_at'], 'Expected a moment in the future')
}

function isTheAdminKey(): AppError {
  return new AppError(
    'conflict',
    "The installation's admin key is not revoked but replaced: set another RUNYARD_ADMIN_KEY, or " +
      'remove admin.key from the data folder, and start again.',
  )
}

async function recordOn(
  parts: Parts,
  store: ControlPlaneStore,
  principal: Principal,
  { id, name, workspace_id }: ApiKey,
  made?: Pick<ApiKey, 'role' | 'expires_at'>,
): Promise<void> {
  await record(store, parts.clock, principal, {
    action: made ? 'api_key.create' : 'api_key.revoke',
    target_id: id,
    target_name: name,
    workspace_id,
    detail: { ...made },
  })
}

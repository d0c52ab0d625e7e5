/** Operations on listeners. */

import { randomUUID } from 'node:crypto'
import { timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import {
  type Listener,
  type ListenerStore,
  newListenerKey,
  stateOfListener,
} from '../../core/deployment/listener.ts'
import { sourceConfigOf } from '../../core/deployment/sources/config.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import { answerOf } from '../../http/answer.ts'
import { hashKey } from '../../http/keys.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { record } from '../people/audit.ts'
import {
  type ListenerAnswer,
  type ListenerCreateRequest,
  type ListenerPatchRequest,
  ListenerSchema,
} from './listener-schemas.ts'

type Parts = Pick<ControlPlaneParts, 'store' | 'clock'>

/** The workspace's listeners, newest first. */
export async function listListeners(
  parts: Parts,
  principal: Principal,
  page: { limit: number; offset: number },
): Promise<{ resources: ListenerAnswer[]; offset: number }> {
  const { workspace_id } = principal
  const found = await parts.store.listeners.list({ workspace_id, ...page })
  return { resources: found.map((one) => answer(parts, one)), offset: page.offset + found.length }
}

/** Returns the key too, this once. Throws `conflict` when the workspace has a listener of this compute id. */
export async function createListener(
  parts: Parts,
  principal: Principal,
  request: ListenerCreateRequest,
): Promise<ListenerAnswer & { key: string }> {
  const { workspace_id } = principal
  const now = timestamp(parts.clock)
  const key = newListenerKey()
  const listener: Listener = {
    id: randomUUID(),
    workspace_id,
    compute_type: request.compute_type,
    compute_id: request.compute_id,
    compute_config: { k8s_namespaces: request.compute_config.k8s_namespaces ?? null },
    version: request.version ?? null,
    url: null,
    key_hash: hashKey(key),
    last_heard_at: null,
    created_at: now,
    updated_at: now,
  }
  await parts.store.transaction(async (store) => {
    if (!(await store.listeners.insert(listener))) throw alreadyExists(listener)
    await recordOn(parts, store, principal, 'listener.create', listener)
  })
  return { ...answer(parts, listener), key }
}

/** Throws `not_found`. */
export async function getListener(parts: Parts, principal: Principal, id: string) {
  return answer(parts, await requireListener(parts.store.listeners, principal, id))
}

/** Changes version and namespaces; null and absent members change nothing. Throws as `getListener`. */
export async function patchListener(
  parts: Parts,
  principal: Principal,
  id: string,
  request: ListenerPatchRequest,
): Promise<ListenerAnswer> {
  const { version, compute_config } = request
  const patch = {
    updated_at: timestamp(parts.clock),
    ...(version && { version }),
    ...(compute_config && {
      compute_config: { k8s_namespaces: compute_config.k8s_namespaces ?? null },
    }),
  }
  return parts.store.transaction(async (store) => {
    const listener = await requireListener(store.listeners, principal, id)
    await store.listeners.update(id, patch)
    await recordOn(parts, store, principal, 'listener.update', listener)
    return answer(parts, { ...listener, ...patch })
  })
}

/** Makes a new key for the listener; the old one stops working. Throws as `getListener`. */
export async function createListenerKey(parts: Parts, principal: Principal, id: string) {
  const key = newListenerKey()
  await setKey(parts, principal, id, hashKey(key))
  return { key }
}

/** The listener's requests are refused; what it runs keeps running. Throws as `getListener`. */
export async function revokeListenerKey(parts: Parts, principal: Principal, id: string) {
  await setKey(parts, principal, id, null)
}

async function setKey(parts: Parts, principal: Principal, id: string, key_hash: string | null) {
  await parts.store.transaction(async (store) => {
    const listener = await requireListener(store.listeners, principal, id)
    await store.listeners.update(id, { key_hash, updated_at: timestamp(parts.clock) })
    await recordOn(parts, store, principal, 'listener.update', listener)
  })
}

/** Throws `not_found`, and `conflict` while a deployment runs there. */
export async function deleteListener(parts: Parts, principal: Principal, id: string) {
  await parts.store.transaction(async (store) => {
    const listener = await requireListener(store.listeners, principal, id)
    await refuseUsed(store, listener)
    await store.listeners.delete(id)
    await recordOn(parts, store, principal, 'listener.delete', listener)
  })
}

async function requireListener(listeners: ListenerStore, principal: Principal, id: string) {
  const listener = await listeners.get(principal.workspace_id, id)
  if (listener) return listener
  throw new AppError('not_found', `Listener ID ${id} not found.`)
}

async function refuseUsed(store: ControlPlaneStore, listener: Listener): Promise<void> {
  const users = (await store.deployments.listAll())
    .filter((deployment) => sourceConfigOf(deployment).listener_id === listener.id)
    .map(({ name }) => name)
  if (users.length === 0) return
  throw new AppError(
    'conflict',
    `Listener ID ${listener.id} runs deployments: ${users.slice(0, 20).join(', ')}. Delete them first.`,
  )
}

function alreadyExists({ workspace_id, compute_id }: Listener): AppError {
  return new AppError(
    'conflict',
    `Listener for LangSmith workspace ID '${workspace_id}' and compute ID ` +
      `'${compute_id}' already exists.`,
  )
}

async function recordOn(
  parts: Pick<Parts, 'clock'>,
  store: ControlPlaneStore,
  principal: Principal,
  action: 'listener.create' | 'listener.update' | 'listener.delete',
  { id, compute_id }: Listener,
): Promise<void> {
  await record(store, parts.clock, principal, { action, target_id: id, target_name: compute_id })
}

function answer({ clock }: Pick<Parts, 'clock'>, listener: Listener): ListenerAnswer {
  return answerOf(ListenerSchema, listener, { state: stateOfListener(listener, clock.now()) })
}

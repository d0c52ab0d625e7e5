import {
  type ApiKeyCreateRequest,
  dataOf,
  doneBy,
  everyPage,
  type ListenerCreateRequest,
} from '@runyard/client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { controlPlane } from '../api/control-plane.ts'
import type { AuditFilter } from './audit-filter.ts'

const { api } = controlPlane

export function keysQuery() {
  return queryOptions({
    queryKey: ['settings', 'keys'],
    queryFn: () => everyPage((query) => dataOf(api.GET('/v2/api-keys', { params: { query } }))),
  })
}

export function createKey(body: ApiKeyCreateRequest) {
  return dataOf(api.POST('/v2/api-keys', { body }))
}

export function revokeKey(api_key_id: string) {
  return doneBy(api.DELETE('/v2/api-keys/{api_key_id}', { params: { path: { api_key_id } } }))
}

/** `all`: of all users of the workspace. */
export function sessionsQuery(options: { all: boolean }) {
  const all = options.all ? 'true' : 'false'
  return queryOptions({
    queryKey: ['settings', 'sessions', options],
    queryFn: () =>
      everyPage((page) => dataOf(api.GET('/v2/sessions', { params: { query: { ...page, all } } }))),
    refetchInterval: 30_000,
  })
}

export function endSession(session_id: string) {
  return doneBy(api.DELETE('/v2/sessions/{session_id}', { params: { path: { session_id } } }))
}

export function workspacesQuery() {
  return queryOptions({
    queryKey: ['settings', 'workspaces'],
    queryFn: () => everyPage((query) => dataOf(api.GET('/v2/workspaces', { params: { query } }))),
  })
}

export function createWorkspace(name: string) {
  return dataOf(api.POST('/v2/workspaces', { body: { name } }))
}

export function renameWorkspace(workspace_id: string, name: string) {
  const params = { path: { workspace_id } }
  return dataOf(api.PATCH('/v2/workspaces/{workspace_id}', { params, body: { name } }))
}

export function deleteWorkspace(workspace_id: string) {
  return doneBy(api.DELETE('/v2/workspaces/{workspace_id}', { params: { path: { workspace_id } } }))
}

/** Listeners report every half a minute. */
export function listenersQuery() {
  return queryOptions({
    queryKey: ['settings', 'listeners'],
    queryFn: () => everyPage((query) => dataOf(api.GET('/v2/listeners', { params: { query } }))),
    refetchInterval: 10_000,
  })
}

export function createListener(body: ListenerCreateRequest) {
  return dataOf(api.POST('/v2/listeners', { body }))
}

export function createListenerKey(listener_id: string) {
  const params = { path: { listener_id } }
  return dataOf(api.POST('/v2/listeners/{listener_id}/key', { params }))
}

export function revokeListenerKey(listener_id: string) {
  return doneBy(
    api.DELETE('/v2/listeners/{listener_id}/key', { params: { path: { listener_id } } }),
  )
}

export function deleteListener(listener_id: string) {
  return doneBy(api.DELETE('/v2/listeners/{listener_id}', { params: { path: { listener_id } } }))
}

/** Entries per page. */
const PAGE = 100

export function auditQuery(filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ['settings', 'audit', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => {
      const query = { ...filter, limit: PAGE, ...(pageParam && { cursor: pageParam }) }
      return dataOf(api.GET('/v2/audit-log', { params: { query } }))
    },
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })
}

/** All entries that the filter selects, as a file. */
export async function exportAudit(filter: AuditFilter, format: 'csv' | 'jsonl'): Promise<Blob> {
  const params = { query: { ...filter, format } }
  return dataOf<Blob>(api.GET('/v2/audit-log/export', { params, parseAs: 'blob' }))
}

export function rotateEncryptionKey() {
  return dataOf(api.POST('/v2/encryption-key/rotate'))
}

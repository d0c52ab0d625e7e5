/** The verbs on items of the store. `isVisible` defines how a caller's filter applies. */
import type { Caller } from '../../core/agent/authorization.ts'
import type { ItemPut, ItemSearch, Refresh } from '../../core/agent/host/calls.ts'
import { filterProblem } from '../../core/agent/items/filter.ts'
import type {
  FoundItem,
  Item,
  ItemId,
  ItemPage,
  NamespaceQuery,
} from '../../core/agent/items/item.ts'
import {
  isVisible,
  keyProblem,
  labelsProblem,
  namespaceProblem,
} from '../../core/agent/items/item.ts'
import { AppError, invalidField } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'

/**
 * Puts the item and replaces the existing one. Throws `invalid`, `forbidden` (the caller could not see
 * the new item), `not_found` (the existing item is another caller's), and `unavailable` or `bad_request`
 * if the project's embeddings fail.
 */
export async function putItem(
  parts: Parts,
  caller: Caller,
  put: ItemPut & { value: JsonObject },
): Promise<void> {
  const value = { ...put }
  const filter = await parts.authorize(caller, { resource: 'store', action: 'put' }, value)
  requireId(value)
  if (!isVisible(value, filter)) throw notVisibleToCaller(value)
  const before = filter && (await parts.items.get(value, { refresh_ttl: false }))
  if (before && !isVisible(before, filter)) throw noItem(value)
  await parts.items.write([value])
}

/** `null`: no such item. Throws `invalid`. */
export async function getItem(
  parts: Parts,
  caller: Caller,
  { refresh_ttl, ...id }: ItemId & Refresh,
): Promise<Item | null> {
  const value = { ...id }
  const filter = await parts.authorize(caller, { resource: 'store', action: 'get' }, value)
  requireId(value)
  const found = await parts.items.get(value, refreshOf(refresh_ttl))
  return found && isVisible(found, filter) ? found : null
}

/**
 * Removes the item, if it exists. Throws `invalid`. Throws `not_found` for another caller's item, and
 * also if only another caller could have it, so that the answer reveals nothing.
 */
export async function deleteItem(parts: Parts, caller: Caller, id: ItemId): Promise<void> {
  const value = { ...id }
  const filter = await parts.authorize(caller, { resource: 'store', action: 'delete' }, value)
  requireId(value)
  const before = filter && (await parts.items.get(value, { refresh_ttl: false }))
  if (!isVisible(before ?? value, filter)) throw noItem(value)
  await parts.items.write([{ ...value, value: null }])
}

/** Searches the items that the caller may see. Throws `invalid`, and like `putItem` if the embeddings fail. */
export async function searchItems(
  parts: Parts,
  caller: Caller,
  { namespace_prefix, refresh_ttl, ...search }: Omit<ItemSearch, 'seen'> & Refresh,
): Promise<FoundItem[]> {
  const value = { ...search, namespace: namespace_prefix }
  const seen = await parts.authorize(caller, { resource: 'store', action: 'search' }, value)
  const { namespace, ...rest } = value
  requireLabels('namespace_prefix', namespace)
  const problem = filterProblem(rest.filter ?? {})
  if (problem) throw invalidField(['body', 'filter'], problem)
  const narrowed = { ...rest, namespace_prefix: namespace, ...(seen && { seen }) }
  const [found = []] = await parts.items.searchAll([narrowed], refreshOf(refresh_ttl))
  return found
}

/** The namespaces with an item that the caller may see. Throws `invalid`. */
export async function listNamespaces(
  parts: Parts,
  caller: Caller,
  { limit, offset, ...query }: Omit<NamespaceQuery, 'seen'> & ItemPage,
): Promise<string[][]> {
  const { prefix, ...rest } = query
  const value = { ...rest, namespace: prefix ?? [] }
  const event = { resource: 'store', action: 'list_namespaces' } as const
  const seen = await parts.authorize(caller, event, value)
  const { namespace, ...narrowed } = value
  requireLabels('prefix', namespace)
  requireLabels('suffix', narrowed.suffix ?? [])
  const all = { ...narrowed, prefix: namespace, ...(seen && { seen }) }
  return parts.items.namespaces(all, { limit, offset })
}

function requireId({ namespace, key }: ItemId): void {
  const problem = namespaceProblem(namespace)
  if (problem) throw invalidField(['body', 'namespace'], problem)
  const keyIs = keyProblem(key)
  if (keyIs) throw invalidField(['body', 'key'], keyIs)
}

function requireLabels(field: string, labels: string[]): void {
  const problem = labelsProblem(labels)
  if (problem) throw invalidField(['body', field], problem)
}

function refreshOf(refresh_ttl: boolean | undefined): Refresh {
  return refresh_ttl === undefined ? {} : { refresh_ttl }
}

function noItem(id: ItemId): AppError {
  return new AppError('not_found', `${named(id)} not found.`)
}

function notVisibleToCaller(id: ItemId): AppError {
  return new AppError(
    'forbidden',
    `${named(id)} would not be yours: the filter of the project's auth for the store has to hold of ` +
      "the item's value with its namespace and key.",
  )
}

function named({ namespace, key }: ItemId): string {
  return `The item "${key}" of ${namespace.join('.')}`
}

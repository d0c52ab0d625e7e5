/**
 * An item of the store: what graphs and clients remember beyond threads, by namespace and key.
 *
 * A namespace is a path of labels. Labels hold no period, so that a namespace is also one text:
 * `["users", "ann"]` is `users.ann`.
 */

import type { JsonObject } from '../json.ts'
import { type MetadataFilter, matchesFilter } from './authorization.ts'
import type { ItemFilter } from './item-filter.ts'

/** The fields of an item on the wire. */
export interface Item {
  namespace: string[]
  key: string
  value: JsonObject
  created_at: string
  updated_at: string
}

/** `score`: how near it is to what was asked, -1…1; absent where nothing was asked for by meaning. */
export interface FoundItem extends Item {
  score?: number
}

export type ItemId = Pick<Item, 'namespace' | 'key'>

/**
 * Whether a caller's filter lets an item through. It speaks of what the value holds, and of
 * `namespace` and `key`. Without a value: whether it could be the caller's by its place alone.
 */
export function isVisible(
  { namespace, key, value }: ItemId & { value?: JsonObject },
  filter: MetadataFilter | undefined,
): boolean {
  return matchesFilter({ ...value, namespace, key }, filter)
}

/** A text of an item, as the vector that the project's embeddings give for it. */
export interface ItemVector {
  /** The path that the text lies at, with its place among several: `chapters[*].title.2`. */
  field: string
  vector: number[]
}

/** An item to be written. One that is there keeps its `created_at`. */
export interface NewItem extends ItemId {
  value: JsonObject
  /** How long it is kept after it was written, or read with a refresh; `null`: for good. */
  ttl_minutes: number | null
  /** In place of those that it had; empty: it is not found by meaning. */
  vectors: ItemVector[]
}

/** `value: null` removes the item, if there is one. */
export type ItemChange = NewItem | (ItemId & { value: null })

/** When is read, in ms since 1970, and whether what is found begins its time anew. */
export interface ItemReading {
  now: number
  isRefreshed: boolean
}

export interface ItemQuery {
  /** Empty: all namespaces. */
  namespace_prefix: string[]
  /** What the value must hold. */
  filter?: ItemFilter
  /** What the caller may see, as `isVisible` has it. */
  seen?: MetadataFilter
}

export interface ItemPage {
  limit: number
  offset: number
}

export interface NamespaceQuery {
  /** How the namespaces begin and end; `*` stands for any label. */
  prefix?: string[]
  suffix?: string[]
  /** Only the first labels of each, so many. */
  max_depth?: number
  /** Only those with an item that the caller may see. */
  seen?: MetadataFilter
}

/** The items of one database. Those whose time is up are not there, removed or not. */
export interface ItemStore {
  get(id: ItemId, reading: ItemReading): Promise<Item | undefined>
  /** All of them or none, in order. `now` in ms since 1970. */
  write(changes: ItemChange[], now: number): Promise<void>
  /** The one changed last first. */
  search(query: ItemQuery, page: ItemPage, reading: ItemReading): Promise<Item[]>
  /**
   * Those that have vectors of the same length, the one with the nearest first, with a `score`: the
   * cosine of the angle between the two. Exact, whatever the filter.
   */
  nearest(
    query: ItemQuery & { vector: number[] },
    page: ItemPage,
    reading: ItemReading,
  ): Promise<FoundItem[]>
  /** In the order of their labels, each once. */
  namespaces(query: NamespaceQuery, page: ItemPage, now: number): Promise<string[][]>
  /** Removes those whose time is up, at most `limit`. Answers how many. */
  expire(now: number, limit: number): Promise<number>
  /** Makes sure that vectors can be compared. Throws `unavailable` where they cannot. */
  prepareVectors(): Promise<void>
}

/** Longer ones do not fit into the index of every database, in bytes. */
export const MAX_NAME_BYTES = 1000

/** LangGraph keeps this namespace for itself. */
const RESERVED_LABEL = 'langgraph'

/** Why items cannot be in such a namespace, as a sentence; `undefined`: they can. */
export function namespaceProblem(namespace: readonly string[]): string | undefined {
  if (namespace.length === 0) return 'Namespace is required: give at least one label.'
  if (namespace[0] === RESERVED_LABEL) {
    return `Root label for namespace cannot be "${RESERVED_LABEL}". Received: ${namespace.join('.')}`
  }
  return labelsProblem(namespace)
}

/** The same for the beginning or the end of namespaces, which may be empty. */
export function labelsProblem(labels: readonly string[]): string | undefined {
  const bad = labels.find((label) => typeof label !== 'string' || !label || label.includes('.'))
  if (bad !== undefined) {
    return `Namespace labels cannot be empty or contain periods. Received: ${labels.join('.')}`
  }
  return textProblem('The namespace', labels.join('.'))
}

/** Why no item can have such a key; `undefined`: it can. */
export function keyProblem(key: string): string | undefined {
  if (typeof key !== 'string' || key === '') return 'The key is empty: give a text.'
  return textProblem('The key', key)
}

function textProblem(what: string, text: string): string | undefined {
  if (text.includes('\0')) return `${what} holds a character U+0000, which no database keeps.`
  if (!text.isWellFormed())
    return `${what} is no valid Unicode: half of a surrogate pair is missing.`
  const bytes = Buffer.byteLength(text)
  if (bytes <= MAX_NAME_BYTES) return undefined
  return `${what} is too long: ${bytes} bytes, where ${MAX_NAME_BYTES} are possible.`
}

/**
 * An item of the store: what graphs and clients keep beyond threads, by namespace and key.
 *
 * A namespace is a path of labels. Labels contain no period, so that a namespace is also one text:
 * `["users", "ann"]` is `users.ann`.
 */

import type { JsonObject } from '../../json.ts'
import { type MetadataFilter, matchesFilter } from '../authorization.ts'
import type { ItemFilter } from './filter.ts'

/** The fields of an item on the wire. */
export interface Item {
  namespace: string[]
  key: string
  value: JsonObject
  created_at: string
  updated_at: string
}

/** `score`: how similar the item is to the query, from -1 to 1. Absent: the search was not by meaning. */
export interface FoundItem extends Item {
  score?: number
}

export type ItemId = Pick<Item, 'namespace' | 'key'>

/**
 * Whether a caller may see an item, by its value, `namespace` and `key`. Without a value: whether an item
 * at this place could be the caller's.
 */
export function isVisible(
  { namespace, key, value }: ItemId & { value?: JsonObject },
  filter: MetadataFilter | undefined,
): boolean {
  return matchesFilter({ ...value, namespace, key }, filter)
}

/** A text of an item, as the vector from the project's embeddings. */
export interface ItemVector {
  /** The path of the text, with its position when there are several: `chapters[*].title.2`. */
  field: string
  vector: number[]
}

/** An item to write. An existing one keeps its `created_at`. */
export interface NewItem extends ItemId {
  value: JsonObject
  /** How long it is kept after it was written, or read with a refresh, in minutes. `null`: forever. */
  ttl_minutes: number | null
  /** Replaces the item's vectors. Empty: searches by meaning do not find the item. */
  vectors: ItemVector[]
}

/** `value: null` removes the item, if it exists. */
export type ItemChange = NewItem | (ItemId & { value: null })

/** The time of the read, in ms since 1970, and whether reading an item restarts its lifetime. */
export interface ItemReading {
  now: number
  isRefreshed: boolean
}

export interface ItemQuery {
  /** Empty: all namespaces. */
  namespace_prefix: string[]
  /** Conditions on the value. */
  filter?: ItemFilter
  /** The caller sees no others. */
  seen?: MetadataFilter
}

export interface ItemPage {
  limit: number
  offset: number
}

export interface NamespaceQuery {
  /** How the namespaces begin and end. `*` stands for any label. */
  prefix?: string[]
  suffix?: string[]
  /** Only this many labels of each namespace, from its beginning. */
  max_depth?: number
  /** Only namespaces with an item that the caller may see. */
  seen?: MetadataFilter
}

/** The items of one database. An expired item counts as absent, whether it was removed yet or not. */
export interface ItemStore {
  get(id: ItemId, reading: ItemReading): Promise<Item | undefined>
  /** Writes all of them or none, in order. `now` in ms since 1970. */
  write(changes: ItemChange[], now: number): Promise<void>
  /** The last changed first. */
  search(query: ItemQuery, page: ItemPage, reading: ItemReading): Promise<Item[]>
  /**
   * Items with vectors of the same length, the nearest first, with their `score`: the cosine of the angle
   * between the two vectors. The result is exact for every filter.
   */
  nearest(
    query: ItemQuery & { vector: number[] },
    page: ItemPage,
    reading: ItemReading,
  ): Promise<FoundItem[]>
  /** Sorted by their labels, each once. */
  namespaces(query: NamespaceQuery, page: ItemPage, now: number): Promise<string[][]>
  /** Removes expired items, `limit` at most. Returns how many. */
  expire(now: number, limit: number): Promise<number>
  /** Checks that the database can compare vectors. Throws `unavailable` when it cannot. */
  prepareVectors(): Promise<void>
}

/** Longer keys do not fit into the index of every database, in bytes. */
export const MAX_NAME_BYTES = 1000

/** LangGraph reserves this namespace for itself. */
const RESERVED_LABEL = 'langgraph'

/** Why items cannot be in this namespace, as a sentence. `undefined`: they can. */
export function namespaceProblem(namespace: readonly string[]): string | undefined {
  if (namespace.length === 0) return 'Namespace is required: give at least one label.'
  if (namespace[0] === RESERVED_LABEL) {
    return `Root label for namespace cannot be "${RESERVED_LABEL}". Received: ${namespace.join('.')}`
  }
  return labelsProblem(namespace)
}

/** The same for the beginning or the end of a namespace, which may be empty. */
export function labelsProblem(labels: readonly string[]): string | undefined {
  const bad = labels.find((label) => typeof label !== 'string' || !label || label.includes('.'))
  if (bad !== undefined) {
    return `Namespace labels cannot be empty or contain periods. Received: ${labels.join('.')}`
  }
  return textProblem('The namespace', labels.join('.'))
}

/** Why no item can have this key. `undefined`: it can. */
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

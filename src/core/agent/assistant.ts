/**
 * An assistant: a graph with a configuration and a name. Each change of these makes a version. One of the
 * versions is the current one.
 */
import { isDeepStrictEqual } from 'node:util'
import type { JsonObject, JsonValue } from '../json.ts'
import type { MetadataFilter } from './authorization.ts'
import type { SortedPage } from './thread.ts'

/** The fields of an assistant on the wire. */
export interface Assistant {
  assistant_id: string
  graph_id: string
  config: JsonObject
  context: JsonValue
  metadata: JsonObject
  name: string
  description: string | null
  /** The current version. The first is 1. */
  version: number
  created_at: string
  updated_at: string
}

/** The fields of a version. A change of any of them makes a new version. */
const VERSIONED_FIELDS = [
  'graph_id',
  'config',
  'context',
  'metadata',
  'name',
  'description',
] as const

export type AssistantContent = Pick<Assistant, (typeof VERSIONED_FIELDS)[number]>

/** Whether the two have the same contents, and so would be the same version. */
export function hasSameContent(one: AssistantContent, other: AssistantContent): boolean {
  return VERSIONED_FIELDS.every((field) => isDeepStrictEqual(one[field], other[field]))
}

/** The name of an assistant that was created without one. */
export const UNTITLED = 'Untitled'

/**
 * The namespace of system assistants' ids: each id is the UUID v5 of its graph's name. LangGraph Server uses the same.
 */
export const SYSTEM_ASSISTANT_NAMESPACE = '6ba7b821-9dad-11d1-80b4-00c04fd430c8'

/** Selects assistants: those that meet all conditions. */
export interface AssistantQuery {
  graph_id?: string
  /** Text in the name, in upper or lower case. */
  name?: string
  /** JSON that the metadata contains (`containsJson`). */
  metadata?: JsonObject
  /** The caller sees no others. */
  filter?: MetadataFilter
}

export const ASSISTANT_SORT_FIELDS = [
  'assistant_id',
  'created_at',
  'updated_at',
  'name',
  'graph_id',
] as const

export type AssistantPage = SortedPage<(typeof ASSISTANT_SORT_FIELDS)[number]>

/** The assistants of one database, and their versions. */
export interface AssistantStore {
  get(assistant_id: string): Promise<Assistant | undefined>
  /** Adds the assistant and its version. `false`: the id is taken, and nothing was written. */
  insert(assistant: Assistant): Promise<boolean>
  /** Replaces the assistant with the same id, except its `created_at`. */
  update(assistant: Assistant): Promise<void>
  /** Removes the assistant and its versions. `false`: there was none. */
  delete(assistant_id: string): Promise<boolean>
  /** Sorted by `sort_by`, then by `created_at` and id. */
  search(query: AssistantQuery, page: AssistantPage): Promise<Assistant[]>
  count(query: AssistantQuery): Promise<number>
  /**
   * Stores the assistant as its version `version`, made at `updated_at`. It replaces an older version of
   * that number.
   */
  putVersion(assistant: Assistant): Promise<void>
  /** The version in the form of an assistant. Both times are those of the version. */
  getVersion(assistant_id: string, version: number): Promise<Assistant | undefined>
  /** The highest version number so far; 0 when there is no such assistant. */
  lastVersion(assistant_id: string): Promise<number>
  /** The newest first. With `metadata`, only those that contain it. */
  versions(
    assistant_id: string,
    page: { metadata?: JsonObject; limit: number; offset: number },
  ): Promise<Assistant[]>
}

/**
 * An assistant: a graph with a configuration and a name. Each change of what it is makes a version;
 * one of its versions is the one in force.
 */
import { isDeepStrictEqual } from 'node:util'
import type { JsonObject, JsonValue } from '../json.ts'
import type { MetadataFilter } from './authorization.ts'

/** The fields of an assistant on the wire. */
export interface Assistant {
  assistant_id: string
  graph_id: string
  config: JsonObject
  context: JsonValue
  metadata: JsonObject
  name: string
  description: string | null
  /** The version in force; the first is 1. */
  version: number
  created_at: string
  updated_at: string
}

/** What a version holds: a change of any of these makes a new one. */
const VERSIONED_FIELDS = [
  'graph_id',
  'config',
  'context',
  'metadata',
  'name',
  'description',
] as const

export type AssistantContent = Pick<Assistant, (typeof VERSIONED_FIELDS)[number]>

/** Whether both would be the same version. */
export function hasSameContent(one: AssistantContent, other: AssistantContent): boolean {
  return VERSIONED_FIELDS.every((field) => isDeepStrictEqual(one[field], other[field]))
}

/** The name of an assistant that was given none. */
export const UNTITLED = 'Untitled'

/** The namespace of system assistants' ids: uuid v5 of the graph's name (facts, section 1.1). */
export const SYSTEM_ASSISTANT_NAMESPACE = '6ba7b821-9dad-11d1-80b4-00c04fd430c8'

/** Which assistants: those for which all of it holds. */
export interface AssistantQuery {
  graph_id?: string
  /** A part of the name, upper or lower case. */
  name?: string
  /** What the metadata contains (`containsJson`). */
  metadata?: JsonObject
  /** What the caller may see. */
  filter?: MetadataFilter
}

export const ASSISTANT_SORT_FIELDS = [
  'assistant_id',
  'created_at',
  'updated_at',
  'name',
  'graph_id',
] as const

export interface AssistantPage {
  sort_by: (typeof ASSISTANT_SORT_FIELDS)[number]
  sort_order: 'asc' | 'desc'
  limit: number
  offset: number
}

/** The assistants of one database, and their versions. */
export interface AssistantStore {
  get(assistant_id: string): Promise<Assistant | undefined>
  /** Adds the assistant and its version. `false`: its id is taken, nothing was written. */
  insert(assistant: Assistant): Promise<boolean>
  /** Puts the assistant in the place of the one with its id, but for `created_at`. */
  update(assistant: Assistant): Promise<void>
  /** Removes the assistant and its versions. `false`: there was none. */
  delete(assistant_id: string): Promise<boolean>
  /** In order of `sort_by`; where that is the same, of `created_at` and id. */
  search(query: AssistantQuery, page: AssistantPage): Promise<Assistant[]>
  count(query: AssistantQuery): Promise<number>
  /** Keeps the assistant as its version `version`, made at `updated_at`, in place of an older one. */
  putVersion(assistant: Assistant): Promise<void>
  /** A version as an assistant: both its times are those of the version. */
  getVersion(assistant_id: string, version: number): Promise<Assistant | undefined>
  /** The highest number given; 0 where there is no such assistant. */
  lastVersion(assistant_id: string): Promise<number>
  /** Newest first; with `metadata` those that contain it. */
  versions(
    assistant_id: string,
    page: { metadata?: JsonObject; limit: number; offset: number },
  ): Promise<Assistant[]>
}

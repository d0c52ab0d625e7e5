/** The verbs on assistants and their versions. */
import { randomUUID } from 'node:crypto'
import {
  type Assistant,
  type AssistantContent,
  type AssistantPage,
  type AssistantQuery,
  type AssistantStore,
  UNTITLED,
} from '../../core/agent/assistant.ts'
import { type Caller, type MetadataFilter, matchesFilter } from '../../core/agent/authorization.ts'
import { LOST_SERVER_MS } from '../../core/agent/server/server.ts'
import { timestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'
import { requireMetadataFits } from '../limits.ts'
import { isSystemAssistant, systemAssistantId } from './system.ts'

interface AssistantRequest {
  graph_id: string
  /** Default: a random one. */
  assistant_id?: string
  /** Default: `{}`; the same for `context` and `metadata`. */
  config?: JsonObject
  context?: JsonValue
  metadata?: JsonObject
  /** Default: `Untitled`. */
  name?: string
  /** Default: `null`. */
  description?: string | null
  /** If the id exists: `raise` throws `conflict`, `do_nothing` returns the existing assistant. */
  if_exists?: 'raise' | 'do_nothing'
}

/** Adds an assistant, or returns the existing one. Throws `not_found` (graph), `conflict`. */
export async function createAssistant(
  parts: Parts,
  caller: Caller,
  request: AssistantRequest,
): Promise<Assistant> {
  const value = {
    graph_id: request.graph_id,
    assistant_id: request.assistant_id ?? randomUUID(),
    config: { ...request.config },
    context: request.context ?? {},
    metadata: { ...request.metadata },
    name: request.name ?? UNTITLED,
    description: request.description ?? null,
    if_exists: request.if_exists ?? 'raise',
  }
  const filter = await parts.authorize(caller, { resource: 'assistants', action: 'create' }, value)
  requireMetadataFits(parts.limits, value.metadata)
  const { if_exists, ...content } = value
  requireGraphName(parts, content.graph_id)
  const now = timestamp(parts.clock)
  const assistant = { ...content, version: 1, created_at: now, updated_at: now }
  return parts.store.transaction(async ({ assistants }) => {
    const isNew = await assistants.insert(assistant)
    const stored = await assistants.get(assistant.assistant_id)
    const isVisible = stored && matchesFilter(stored.metadata, filter)
    if (isVisible && (isNew || if_exists === 'do_nothing')) return stored
    throw new AppError('conflict', `Assistant "${assistant.assistant_id}" already exists.`)
  }, [])
}

/** `id` is an assistant's id or a graph's name. Throws `not_found`. */
export async function getAssistant(parts: Parts, caller: Caller, id: string): Promise<Assistant> {
  const filter = await parts.authorize(caller, READ, { assistant_id: id })
  return requireAssistant(parts.store.assistants, id, filter)
}

/** A change of an assistant: absent fields keep their value; `metadata` is merged key by key. */
type AssistantPatch = Partial<AssistantContent>

/**
 * Makes a new version, in force at once, even if the patch changes nothing, as both official servers
 * do. Throws `not_found`.
 */
export async function patchAssistant(
  parts: Parts,
  caller: Caller,
  id: string,
  patch: AssistantPatch,
): Promise<Assistant> {
  const value = { assistant_id: id, ...patch, metadata: { ...patch.metadata } }
  const event = { resource: 'assistants', action: 'update' } as const
  const filter = await parts.authorize(caller, event, value)
  const { assistant_id: _, metadata, ...fields } = value
  if (fields.graph_id !== undefined) requireGraphName(parts, fields.graph_id)
  return parts.store.transaction(async ({ assistants }) => {
    const before = await requireAssistant(assistants, id, filter)
    const after = { ...before, ...fields, metadata: { ...before.metadata, ...metadata } }
    requireMetadataFits(parts.limits, after.metadata, before.metadata)
    const version = (await assistants.lastVersion(before.assistant_id)) + 1
    const assistant = { ...after, version, updated_at: timestamp(parts.clock) }
    await assistants.putVersion(assistant)
    await assistants.update(assistant)
    return assistant
  })
}

const READ = { resource: 'assistants', action: 'read' } as const

/** Finds the assistant. Throws `not_found` if it does not exist or the caller may not see it. */
export async function requireAssistant(
  assistants: AssistantStore,
  id: string,
  filter: MetadataFilter | undefined,
): Promise<Assistant> {
  const assistant = await findAssistant(assistants, id)
  if (assistant && matchesFilter(assistant.metadata, filter)) return assistant
  throw new AppError('not_found', `Assistant "${id}" not found.`)
}

/**
 * The assistant for a new run. Its graph is in this project, or on a running server of another version,
 * which then executes the run. Every caller who may run graphs may use a graph's system assistant: the
 * caller's filter does not hide it. Throws `not_found`.
 */
export async function resolveAssistant(
  parts: Pick<Parts, 'store' | 'host' | 'authorize' | 'clock'>,
  caller: Caller,
  id: string,
): Promise<Assistant> {
  const filter = await parts.authorize(caller, READ, { assistant_id: id })
  const assistant = await findAssistant(parts.store.assistants, id)
  if (assistant && (await isForRun(parts, assistant, filter))) return assistant
  throw new AppError(
    'not_found',
    `No assistant found for "${id}". Use an assistant's id or one of the graphs ${graphNames(parts)}.`,
    { missing: 'assistant' },
  )
}

async function isForRun(
  parts: Pick<Parts, 'store' | 'host' | 'clock'>,
  assistant: Assistant,
  filter: MetadataFilter | undefined,
): Promise<boolean> {
  if (!(await isExecuted(parts, assistant.graph_id))) return false
  return isSystemAssistant(parts, assistant) || matchesFilter(assistant.metadata, filter)
}

async function isExecuted(
  { host, store, clock }: Pick<Parts, 'store' | 'host' | 'clock'>,
  graph_id: string,
): Promise<boolean> {
  if (host.graphs.has(graph_id)) return true
  const since = clock.now() - LOST_SERVER_MS
  const servers = await store.servers.list()
  return servers.some(({ graphs, seen_at }) => seen_at > since && graphs.includes(graph_id))
}

const ID_FORM = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

async function findAssistant(
  assistants: AssistantStore,
  id: string,
): Promise<Assistant | undefined> {
  const named = ID_FORM.test(id) ? await assistants.get(id.toLowerCase()) : undefined
  return named ?? (await assistants.get(systemAssistantId(id)))
}

function requireGraphName(parts: Parts, graph_id: string): void {
  if (parts.host.graphs.has(graph_id)) return
  throw new AppError(
    'not_found',
    `There is no graph "${graph_id}"; this project has ${graphNames(parts)}.`,
  )
}

function graphNames(parts: Pick<Parts, 'host'>): string {
  return [...parts.host.graphs.keys()].map((name) => `"${name}"`).join(', ')
}

/** Newest first. Throws `not_found`. */
export async function listVersions(
  parts: Parts,
  caller: Caller,
  id: string,
  page: { metadata?: JsonObject; limit: number; offset: number },
): Promise<Assistant[]> {
  const filter = await parts.authorize(caller, READ, { assistant_id: id })
  const { assistants } = parts.store
  const { assistant_id } = await requireAssistant(assistants, id, filter)
  return assistants.versions(assistant_id, page)
}

/** Puts a version in force. Throws `not_found` for the assistant and for the version. */
export async function setLatestVersion(
  parts: Parts,
  caller: Caller,
  id: string,
  version: number,
): Promise<Assistant> {
  const value = { assistant_id: id, version }
  const event = { resource: 'assistants', action: 'update' } as const
  const filter = await parts.authorize(caller, event, value)
  return parts.store.transaction(async ({ assistants }) => {
    const before = await requireAssistant(assistants, id, filter)
    const chosen = await assistants.getVersion(before.assistant_id, version)
    if (!chosen) {
      throw new AppError('not_found', `Assistant version not found: "${id}" has no ${version}.`)
    }
    const { created_at } = before
    const assistant = { ...chosen, created_at, updated_at: timestamp(parts.clock) }
    await assistants.update(assistant)
    return assistant
  })
}

type AssistantSearch = Omit<AssistantQuery, 'filter'> & AssistantPage

interface FoundAssistants {
  assistants: Assistant[]
  /** How many there are on all pages. */
  total: number
}

/** One page of the assistants that the caller may see. */
export async function searchAssistants(
  parts: Parts,
  caller: Caller,
  { sort_by, sort_order, limit, offset, ...query }: AssistantSearch,
): Promise<FoundAssistants> {
  const seen = await narrow(parts, caller, query)
  const { assistants } = parts.store
  const found = await assistants.search(seen, { sort_by, sort_order, limit, offset })
  const total = await assistants.count(seen)
  return { assistants: found, total }
}

/** The number of assistants that the caller may see. */
export async function countAssistants(
  parts: Parts,
  caller: Caller,
  query: Omit<AssistantQuery, 'filter'>,
): Promise<number> {
  return parts.store.assistants.count(await narrow(parts, caller, query))
}

async function narrow(
  parts: Parts,
  caller: Caller,
  query: Omit<AssistantQuery, 'filter'>,
): Promise<AssistantQuery> {
  const value = { ...query, metadata: { ...query.metadata } }
  const filter = await parts.authorize(caller, { resource: 'assistants', action: 'search' }, value)
  return { ...value, ...(filter && { filter }) }
}

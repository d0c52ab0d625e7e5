/** Searches assistants. */
import type { Assistant, AssistantPage, AssistantQuery } from '../../core/agent/assistant.ts'
import type { Caller } from '../../core/agent/authorization.ts'
import type { Parts } from '../agent-server-parts.ts'

type AssistantSearch = Omit<AssistantQuery, 'filter'> & AssistantPage

interface FoundAssistants {
  assistants: Assistant[]
  /** How many there are on all pages. */
  total: number
}

/** One page of the assistants that the caller may see. */
export async function searchAssistants(
  parts: Pick<Parts, 'store' | 'authorize'>,
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
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  query: Omit<AssistantQuery, 'filter'>,
): Promise<number> {
  return parts.store.assistants.count(await narrow(parts, caller, query))
}

async function narrow(
  parts: Pick<Parts, 'authorize'>,
  caller: Caller,
  query: Omit<AssistantQuery, 'filter'>,
): Promise<AssistantQuery> {
  const value = { ...query, metadata: { ...query.metadata } }
  const filter = await parts.authorize(caller, { resource: 'assistants', action: 'search' }, value)
  return { ...value, ...(filter && { filter }) }
}

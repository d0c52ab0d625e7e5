/** Searches assistants. */
import type { Assistant, AssistantPage, AssistantQuery } from '../../core/agent/assistant.ts'
import type { Caller } from '../../core/agent/authorization.ts'
import type { Parts } from '../parts.ts'

type AssistantSearch = Omit<AssistantQuery, 'filter'> &
  AssistantPage & {
    /** The fields to return; empty: all. */
    select: (keyof Assistant)[]
  }

interface FoundAssistants {
  /** With the selected fields only. */
  assistants: Partial<Assistant>[]
  /** How many there are on all pages. */
  total: number
}

/** One page of the assistants that the caller may see. */
export async function searchAssistants(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  { select, sort_by, sort_order, limit, offset, ...query }: AssistantSearch,
): Promise<FoundAssistants> {
  const seen = await narrow(parts, caller, query)
  const { assistants } = parts.store
  const found = await assistants.search(seen, { sort_by, sort_order, limit, offset })
  const total = await assistants.count(seen)
  return { assistants: found.map((one) => pick(one, select)), total }
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

function pick(assistant: Assistant, select: (keyof Assistant)[]): Partial<Assistant> {
  if (select.length === 0) return assistant
  return Object.fromEntries(select.map((field) => [field, assistant[field]]))
}

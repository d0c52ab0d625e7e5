/** Filters runs and deliveries to those of threads that the caller may see. */
import type { Caller, MetadataFilter } from '../../core/agent/authorization.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'

/**
 * The filter for lists of runs and deliveries. It combines the filter that the project's auth returns with
 * the metadata that the auth adds to the search.
 */
export async function filterOfSeen(
  { authorize }: Pick<Parts, 'authorize'>,
  caller: Caller,
): Promise<MetadataFilter | undefined> {
  const value: { metadata: JsonObject } = { metadata: {} }
  const filter = await authorize(caller, { resource: 'threads', action: 'search' }, value)
  // A missing value matches nothing, rather than everything.
  const wanted = Object.entries(value.metadata).map(([key, one]) => ({
    [key]: { $eq: one ?? null },
  }))
  if (wanted.length === 0) return filter
  return { $and: filter ? [filter, ...wanted] : wanted }
}

/** Which threads a caller sees, for lists of what belongs to them. */
import type { Caller, MetadataFilter } from '../../core/agent/authorization.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Parts } from '../parts.ts'

/**
 * The filter for lists of what belongs to threads: runs, deliveries. It has what the project answers, and
 * what it puts into the metadata that is searched for.
 */
export async function filterOfSeen(
  { authorize }: Pick<Parts, 'authorize'>,
  caller: Caller,
): Promise<MetadataFilter | undefined> {
  const value: { metadata: JsonObject } = { metadata: {} }
  const filter = await authorize(caller, { resource: 'threads', action: 'search' }, value)
  // A value that is missing matches nothing, rather than everything.
  const wanted = Object.entries(value.metadata).map(([key, one]) => ({
    [key]: { $eq: one ?? null },
  }))
  if (wanted.length === 0) return filter
  return { $and: filter ? [filter, ...wanted] : wanted }
}

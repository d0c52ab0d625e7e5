/** The search parameters for runs. */
import { z } from 'zod'
import { parseMetadata } from '../api/metadata-text.ts'
import { RUN_STATUSES, type RunQuery } from '../api/runs.ts'
import { addressText } from '../shell/address.ts'
import { SPANS } from '../shell/spans.ts'

export const runsSearchSchema = z.object({
  status: z.enum(RUN_STATUSES).optional().catch(undefined),
  assistant: addressText,
  error: addressText,
  metadata: addressText,
  since: z.enum(['hour', 'day', 'week']).optional().catch(undefined),
})

export type RunsSearch = z.infer<typeof runsSearchSchema>

/** The query for the server. Metadata that cannot be parsed yet is still being typed. */
export function queryOf(search: RunsSearch, now: number): RunQuery {
  const { status, assistant, error, metadata, since } = search
  return {
    status,
    assistant_id: assistant,
    error,
    metadata: readable(metadata),
    created_after: since && new Date(now - SPANS[since].ms).toISOString(),
  }
}

export function isFiltered(search: RunsSearch): boolean {
  return Object.values(search).some((value) => value !== undefined)
}

function readable(text: string | undefined): Record<string, unknown> | undefined {
  try {
    return parseMetadata(text ?? '')
  } catch {
    return undefined
  }
}

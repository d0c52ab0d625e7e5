/** The search parameters for runs. */
import { z } from 'zod'
import { parseMetadata } from '../api/metadata-text.ts'
import { RUN_STATUSES, type RunQuery } from '../api/runs.ts'
import { isUuid } from '../design/text/format.ts'
import { addressText } from '../shell/address.ts'
import { SPANS } from '../shell/spans.ts'

/** A run that waits for an answer is a success on the wire. */
export const STATUSES = [...RUN_STATUSES, 'waiting'] as const

export const runsSearchSchema = z.object({
  text: addressText,
  status: z.enum(STATUSES).optional().catch(undefined),
  assistant: addressText,
  error: addressText,
  metadata: addressText,
  since: z.enum(['hour', 'day', 'week']).optional().catch(undefined),
})

export type RunsSearch = z.infer<typeof runsSearchSchema>

/** The query for the server. Metadata that cannot be parsed yet is still being typed. */
export function queryOf(search: RunsSearch, now: number): RunQuery {
  const { text, status, assistant, error, metadata, since } = search
  const typed = text?.trim() || undefined
  return {
    ...(typed && isUuid(typed) ? { run_id: typed } : { text: typed }),
    status: status === 'waiting' ? 'success' : status,
    is_waiting: status === 'waiting' || (status === 'success' ? false : undefined),
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

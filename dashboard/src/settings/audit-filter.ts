/** The search parameters of the audit log. */
import { z } from 'zod'
import { SPANS } from '../shell/spans.ts'

const Search = z.object({
  text: z.coerce.string().optional().catch(undefined),
  action: z.coerce.string().optional().catch(undefined),
  within: z.enum(['hour', 'day', 'week', 'month']).optional().catch(undefined),
})
export type AuditSearch = z.infer<typeof Search>

export function readAuditSearch(search: unknown): AuditSearch {
  return Search.parse(search)
}

/** The filter in the control plane's form. */
export interface AuditFilter {
  text?: string
  action?: string
  since?: string
}

/** The start is rounded to a minute, so that repeated renders share one query. */
export function filterOf({ text, action, within }: AuditSearch, now: number): AuditFilter {
  const start = within && Math.floor((now - SPANS[within].ms) / 60_000) * 60_000
  return {
    ...(text && { text }),
    ...(action && { action }),
    ...(start !== undefined && { since: new Date(start).toISOString() }),
  }
}

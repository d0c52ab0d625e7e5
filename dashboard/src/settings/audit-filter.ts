/** The search parameters of the audit log. */
import { z } from 'zod'

const HOUR_MS = 3_600_000
export const SPANS = {
  hour: { label: 'Last hour', ms: HOUR_MS },
  day: { label: 'Last day', ms: 24 * HOUR_MS },
  week: { label: 'Last 7 days', ms: 7 * 24 * HOUR_MS },
  month: { label: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
} as const
export type Span = keyof typeof SPANS

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

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS

/** Time ranges up to now, by their words in the address. */
export const SPANS = {
  quarter: { label: 'Last 15 minutes', ms: 15 * MINUTE_MS },
  hour: { label: 'Last hour', ms: 60 * MINUTE_MS },
  day: { label: 'Last day', ms: DAY_MS },
  week: { label: 'Last 7 days', ms: 7 * DAY_MS },
  month: { label: 'Last 30 days', ms: 30 * DAY_MS },
} as const

/** The ranges as the choices of a select. */
export function spanChoices<S extends keyof typeof SPANS>(...spans: S[]) {
  return spans.map((value) => ({ value, label: SPANS[value].label }))
}

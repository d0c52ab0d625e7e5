/** The time ranges of an agent server's lists, by their words in the address. In ms. */
export const SPANS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const

export const SPAN_CHOICES = [
  { value: 'hour', label: 'Last hour' },
  { value: 'day', label: 'Last day' },
  { value: 'week', label: 'Last week' },
] as const

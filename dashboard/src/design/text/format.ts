/** Numbers and times as people read them. */

/** The largest two units: `1 min 12 s`, `3 d 4 h`, `120 ms`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ')
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const DAY_MS = 86_400_000
const YEAR_MS = 365.25 * DAY_MS
/** The shortest time for a unit, and the length of the unit, both in ms. */
const STEPS: [Intl.RelativeTimeFormatUnit, from: number, ms: number][] = [
  ['year', 2 * YEAR_MS, YEAR_MS],
  ['day', DAY_MS, DAY_MS],
  ['hour', 3_600_000, 3_600_000],
  ['minute', 60_000, 60_000],
  ['second', 1_000, 1_000],
]

/** `3 min. ago`, `in 2 days`; seconds are `now`, so that texts do not flicker. */
export function relativeText(time: number, now: number): string {
  const apart = time - now
  const step = STEPS.find(([, from]) => Math.abs(apart) >= from)
  if (!step || step[0] === 'second') return Math.abs(apart) < 10_000 ? 'now' : secondsText(apart)
  return relative.format(Math.round(apart / step[2]), step[0])
}

function secondsText(apart: number): string {
  return relative.format(Math.trunc(apart / 10_000) * 10, 'second')
}

export const clockFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' })

export function exactText(time: number): string {
  return exact.format(time)
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** With decimal units: `1.2 MB`. */
export function bytesText(bytes: number): string {
  const unit = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  const amount = bytes / 1_000 ** unit
  return `${amount >= 100 || unit === 0 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[unit]}`
}

const count = new Intl.NumberFormat('en')

export function countText(number: number): string {
  return count.format(number)
}

/** An id with its middle left out: `1f0c2a…9b3e`. */
export function shortId(id: string): string {
  return id.length > 14 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id
}

/** Whether the text is a UUID in either case, as all ids of threads, runs, revisions and deployments. */
export function isUuid(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
}

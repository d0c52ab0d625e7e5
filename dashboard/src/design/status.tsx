import type { ReactNode } from 'react'
import { classes } from './classes.ts'

/** `live`: in progress. Colour is never the only sign of a state: shape and word show it too. */
export type Tone = 'good' | 'wait' | 'bad' | 'off' | 'live'

const INK: Record<Tone, string> = {
  good: 'text-good',
  wait: 'text-wait',
  bad: 'text-bad',
  off: 'text-off',
  live: 'text-accent',
}

const SOFT: Record<Tone, string> = {
  good: 'bg-good-soft text-good',
  wait: 'bg-wait-soft text-wait',
  bad: 'bg-bad-soft text-bad',
  off: 'bg-off-soft text-off',
  live: 'bg-accent-soft text-accent',
}

/** A mark and a word, for tables and facts. On a phone a list shows the mark alone. */
export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={classes('inline-flex items-center gap-1.5 whitespace-nowrap', INK[tone])}>
      <Mark tone={tone} />
      <span className="font-medium max-sm:in-data-mark:sr-only">{children}</span>
    </span>
  )
}

/** A word on a coloured background, for headers. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span
      className={classes(
        'inline-flex h-5 items-center gap-1 rounded-sm px-1.5 text-xs font-medium whitespace-nowrap',
        SOFT[tone],
      )}
    >
      <Mark tone={tone} />
      {children}
    </span>
  )
}

/** Full circle: good. Half: waiting. Cross: bad. Ring: off. Pulsing ring with a dot: live. */
export function Mark({ tone }: { tone: Tone }) {
  const line = { fill: 'none', stroke: 'currentColor', strokeWidth: 1.6 }
  return (
    <svg viewBox="0 0 12 12" className={classes('size-2.5 shrink-0', INK[tone])} aria-hidden="true">
      {tone === 'good' && <circle cx="6" cy="6" r="5" fill="currentColor" />}
      {tone === 'wait' && (
        <>
          <circle cx="6" cy="6" r="4.6" {...line} />
          <path d="M6 1.4a4.6 4.6 0 0 1 0 9.2z" fill="currentColor" />
        </>
      )}
      {tone === 'bad' && <path d="M2 2l8 8M10 2l-8 8" {...line} strokeWidth={2.2} />}
      {tone === 'off' && <circle cx="6" cy="6" r="4.6" {...line} />}
      {tone === 'live' && (
        <>
          <circle cx="6" cy="6" r="4.6" {...line} className="animate-pulse" />
          <circle cx="6" cy="6" r="2.2" fill="currentColor" />
        </>
      )}
    </svg>
  )
}

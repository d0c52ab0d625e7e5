import { useSyncExternalStore } from 'react'
import { durationText, exactText, relativeText } from './format.ts'

/** A time relative to now, with the exact time on hover. `at`: ISO text or ms since 1970. */
export function Time({ at }: { at: string | number }) {
  const now = useNow(10_000)
  const time = new Date(at).getTime()
  return (
    <time
      dateTime={new Date(time).toISOString()}
      title={exactText(time)}
      className="whitespace-nowrap"
    >
      {relativeText(time, now)}
    </time>
  )
}

/** A duration; without `to` it is still running, and the text updates. */
export function Duration({ from, to }: { from: string | number; to?: string | number | null }) {
  const now = useNow(to ? 0 : 1_000)
  const end = to ? new Date(to).getTime() : now
  return <Elapsed ms={Math.max(0, end - new Date(from).getTime())} />
}

/** A duration in figures that align in a column. */
export function Elapsed({ ms }: { ms: number }) {
  return <span className="whitespace-nowrap tabular-nums">{durationText(ms)}</span>
}

/** The current time, updated every `everyMs`; 0: never. Users of the same interval share one timer. */
export function useNow(everyMs: number): number {
  const clock = clockOf(everyMs)
  return useSyncExternalStore(clock.subscribe, clock.now)
}

interface Clock {
  now(): number
  subscribe(tell: () => void): () => void
}

const clocks = new Map<number, Clock>()

function clockOf(everyMs: number): Clock {
  const known = clocks.get(everyMs)
  if (known) return known
  const made = startClock(everyMs)
  clocks.set(everyMs, made)
  return made
}

function startClock(everyMs: number): Clock {
  let now = Date.now()
  let timer: ReturnType<typeof setInterval> | undefined
  const listeners = new Set<() => void>()
  const tick = () => {
    now = Date.now()
    for (const tell of listeners) tell()
  }
  return {
    now: () => now,
    subscribe: (tell) => {
      listeners.add(tell)
      now = Date.now()
      if (everyMs > 0) timer ??= setInterval(tick, everyMs)
      return () => {
        listeners.delete(tell)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}

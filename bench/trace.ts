/** Measures a page's main thread with Chromium's own tracing. */
import type { Browser, Page } from 'playwright-core'

const CATEGORIES = [
  '-*',
  'toplevel',
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'disabled-by-default-devtools.timeline.frame',
]
interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  /** In µs, like the others. */
  ts: number
  dur?: number
  /** Processor time. */
  tdur?: number
  args?: { name?: string }
}

export interface Traced {
  tookMs: number
  /** The main thread's longest task, by the clock and in processor time. */
  longestMs: number
  longestCpuMs: number
  /** All tasks together, in processor time. */
  cpuMs: number
  frames: { drawn: number; dropped: number }
}

/** Traces the page while the work goes on. */
export async function traced(
  browser: Browser,
  page: Page,
  work: () => Promise<unknown>,
): Promise<Traced> {
  await browser.startTracing(page, { categories: CATEGORIES })
  const begun = performance.now()
  await work()
  const tookMs = performance.now() - begun
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as {
    traceEvents: TraceEvent[]
  }
  const tasks = mainThread(traceEvents).filter(({ name }) => name === 'RunTask')
  const longest = (values: number[]) => Math.max(0, ...values) / 1_000
  const frames = (name: string) => traceEvents.filter((event) => event.name === name).length
  return {
    tookMs,
    longestMs: longest(tasks.map(({ dur = 0 }) => dur)),
    longestCpuMs: longest(tasks.map(({ tdur = 0 }) => tdur)),
    cpuMs: tasks.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1_000,
    frames: { drawn: frames('DrawFrame'), dropped: frames('DroppedFrame') },
  }
}

/** The events of the busiest main thread: a spare renderer idles beside the page's. */
function mainThread(events: readonly TraceEvent[]): TraceEvent[] {
  const mains = events.filter(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  )
  const threads = mains.map(({ pid, tid }) =>
    events.filter((event) => event.pid === pid && event.tid === tid),
  )
  const busy = (thread: TraceEvent[]) => thread.reduce((sum, { tdur = 0 }) => sum + tdur, 0)
  return threads.toSorted((a, b) => busy(b) - busy(a))[0] ?? []
}

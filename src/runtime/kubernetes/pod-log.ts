/** The output of one container: followed from the cluster into the revision's log, and its end. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Cluster, ContainerRef } from './cluster.ts'

/** Wait before a log that broke off is requested again, in ms. */
const RETRY_MS = 1_000

/** `2026-11-22T10:00:00.123456789Z what was printed` */
const STAMPED = /^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) ?(.*)$/s

interface PodLogOptions {
  cluster: Pick<Cluster, 'followLog'>
  ref: ContainerRef
  /** RFC 3339. Output before this time has been read already; `undefined`: none has. */
  since: string | undefined
  onLine(line: string): void
  /** Whether there may be more. */
  isRunning(): boolean
  signal: AbortSignal
}

/** Resolves when the container has ended and its output is read. Each line is passed on once. */
export async function followPodLog(options: PodLogOptions): Promise<void> {
  const { cluster, ref, onLine, isRunning, signal } = options
  let since = options.since
  let isLast = false
  while (!signal.aborted && !isLast) {
    // Asked once more after the end: the last output may have come after the stream broke off.
    isLast = !isRunning()
    const from = since
    const take = (line: string) => {
      const [, time, text] = STAMPED.exec(line) ?? []
      // The API server counts in whole seconds.
      if (time === undefined || (from !== undefined && time <= from)) return
      since = time
      onLine(text ?? '')
    }
    const given = { onLine: take, signal, ...(from !== undefined && { since: from }) }
    await cluster.followLog(ref, given).catch(() => {})
    if (!isLast) await delay(RETRY_MS, undefined, { signal }).catch(() => {})
  }
}

/**
 * The last lines of a container that has ended. `isPrevious`: it has been restarted; otherwise a restart may come at
 * any moment, and makes it the previous one. `isFirst`: none has ended before it. If another one has, and this one
 * printed nothing, the lines are the other one's.
 */
export async function lastLinesOf(
  cluster: Pick<Cluster, 'lastLines'>,
  ref: ContainerRef,
  { isPrevious, isFirst }: { isPrevious: boolean; isFirst: boolean },
): Promise<string[]> {
  const looks = isFirst ? [true, false, true] : [false, true]
  for (const isBefore of isPrevious ? [true] : looks) {
    const lines = await cluster.lastLines(ref, isBefore)
    if (lines.length > 0) return lines
  }
  return []
}

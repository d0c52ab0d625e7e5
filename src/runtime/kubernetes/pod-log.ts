/** The output of a pod's containers: followed from the cluster into the revision's log, and how it ended. */
import { setTimeout as delay } from 'node:timers/promises'
import { notedLine } from '../../core/deployment/log-source.ts'
import { stepFor } from '../../link/conversation.ts'
import { stepIn } from '../replicas/last-words.ts'
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

interface OutputOptions {
  cluster: Cluster
  /** Output of its first container before this time has been read already; RFC 3339. */
  since: string | undefined
  /** Marks the lines of the agent server itself: `logMark` of its token. */
  mark: string
  onLine(line: string): void
  signal: AbortSignal
}

/** The output of a pod's agent server, over all of its containers. */
export class PodOutput {
  readonly #options: OutputOptions
  readonly #ref: ContainerRef
  #followed: string | undefined
  /** The step of its start that its log named last. */
  #step: { doing: string; since: number } | undefined
  /** The last lines of a container that ended, by its id. */
  #tail: { id: string; lines: string[] } | undefined

  constructor(ref: ContainerRef, options: OutputOptions) {
    this.#ref = ref
    this.#options = options
  }

  /** The step of its start and since when; `undefined`: it named none. */
  get doing(): string | undefined {
    return this.#step && stepFor(this.#step.doing, this.#step.since)
  }

  /** Reads the output of this container to its end. */
  follow(containerId: string, isRunning: () => boolean): void {
    if (containerId === this.#followed) return
    const since = this.#followed === undefined ? this.#options.since : undefined
    this.#followed = containerId
    const { cluster, signal } = this.#options
    const onLine = (line: string) => this.#take(line)
    void followPodLog({ ...{ cluster, onLine, isRunning, signal, since }, ref: this.#ref })
  }

  /** The last lines of the container with this id; `undefined`: they have not been read. */
  linesOf(id: string): string[] | undefined {
    return this.#tail?.id === id ? this.#tail.lines : undefined
  }

  /** Reads them. For `isPrevious` and `isFirst`, see `lastLinesOf`. */
  async readEnd(
    id: string,
    { container, ...end }: { container: string; isPrevious: boolean; isFirst: boolean },
  ): Promise<void> {
    const lines = await lastLinesOf(this.#options.cluster, { ...this.#ref, container }, end)
    this.#tail = { id, lines: lines.map((line) => this.#noted(line)) }
  }

  #take(printed: string): void {
    const line = this.#noted(printed)
    const doing = stepIn(line)
    if (doing !== undefined) this.#step = { doing, since: performance.now() }
    this.#options.onLine(line)
  }

  #noted(line: string): string {
    return notedLine(line, this.#options.mark)
  }
}

/** How much memory an agent server may take: `resource_spec`, as its process is held to it. */
import { setTimeout as delay } from 'node:timers/promises'
import type { JsonObject } from '../../core/json.ts'
import { familyResidentBytes } from '../../process/memory.ts'

const LOOK_MS = 2000
const MIB = 1024 * 1024
/** Part of the limit for JavaScript's old objects; the rest is for code, buffers and young ones. */
const HEAP_SHARE = 0.75
/** Below this no agent server starts. */
const SMALLEST_HEAP_MB = 64

/** `memory_limit_mb`, else twice `memory_mb` as the original has it; `undefined`: no limit. */
export function memoryLimitMb(resource_spec: JsonObject | null): number | undefined {
  const { memory_limit_mb, memory_mb } = resource_spec ?? {}
  if (typeof memory_limit_mb === 'number') return memory_limit_mb
  return typeof memory_mb === 'number' ? 2 * memory_mb : undefined
}

/**
 * V8 begins with 1 MiB for young objects and collects them at each doubling; a busy server soon has 16. With this size
 * at the start the echo graph is ready after 365 ms of processor time instead of 411, and has 1 MB more then; with 8 it
 * is the same time and 8 MB more.
 */
const FIRST_YOUNG_MB = 6

/**
 * V8 lets each half of the young objects grow to 32 MB, and keeps that while it is busy. With 8 the server of a Python
 * project takes 162 MB after 2,500 runs of the echo graph instead of 259, and a run as much processor time (0.97). A
 * server that runs the graph itself takes 265 instead of 353 MB, but a run 1.06 of the time: it keeps its 32.
 */
const MOST_YOUNG_MB_BESIDE_PYTHON = 8

/** Options of Node: a start without much collecting, and collecting before the limit is reached. */
export function heapArguments(
  limitMb: number | undefined,
  { isBesidePython = false }: { isBesidePython?: boolean } = {},
): string[] {
  const young = [`--min-semi-space-size=${FIRST_YOUNG_MB}`]
  if (isBesidePython) young.push(`--max-semi-space-size=${MOST_YOUNG_MB_BESIDE_PYTHON}`)
  if (limitMb === undefined) return young
  const oldMb = Math.max(SMALLEST_HEAP_MB, Math.floor(limitMb * HEAP_SHARE))
  return [...young, `--max-old-space-size=${oldMb}`]
}

/**
 * glibc gives up to eight areas for each core to threads that allocate at the same time, and each keeps what was freed
 * in it. With two, an idle server takes 115 MB instead of 117, and a run as much processor time (1.00 of it, 12 pairs;
 * 1.02 and 1.03 with one). Other allocators do not know it.
 */
export const ALLOCATOR_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '2' }

/**
 * Resolves, with half a sentence, when the process and its children, a Python host among them, hold more than
 * `limitMb`; rejects when `signal` is aborted first. Never settles without a limit, and never resolves where the system
 * does not report memory (Linux does).
 */
export async function waitUntilTooLarge(
  pid: number | undefined,
  limitMb: number | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (limitMb === undefined || pid === undefined) return new Promise(() => {})
  for (;;) {
    await delay(LOOK_MS, undefined, { signal })
    const usedMb = Math.round((await familyResidentBytes(pid)) / MIB)
    if (usedMb > limitMb) {
      return `it took ${usedMb} MB of memory, more than the ${limitMb} of its memory_limit_mb`
    }
  }
}

/**
 * Schemas from the graphs' sources, for graphs that have none at run time (annotations). The compiler takes seconds, so it
 * works in a thread of its own, once for all graphs of a project. A build has them read before (`kept.ts`).
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Log } from '../../../core/log.ts'
import { type ExtractedSchemas, type GraphPlace, keyOf } from './extracted.ts'
import { readBuilt } from './kept.ts'
import { siblingModule } from './sibling-module.ts'
import type { ExtractionOrder } from './type-extraction-worker.ts'

/**
 * How long the analysis of a project may take, in ms. It takes seconds, and its time on a machine with more to do is many
 * times that; what was not found then is not looked for again.
 */
const TIMEOUT_MS = 180_000
/** What the thread may use, in MiB; a compiler that needs more gives up. */
const MAX_MEMORY_MB = 1_024

export const NOTHING: ExtractedSchemas = { graph: {}, subgraphs: {} }

interface StaticSchemasOptions {
  /** Of the project; those in Python not among them. */
  graphs: GraphPlace[]
  /** The file that the project's build has written, if it has. */
  builtAt?: string
  /** The file in which what is read is kept for the next start. Absent: it is not kept. */
  keptAt?: string
  log: Log
  /** Default: 180,000. */
  timeoutMs?: number
}

export class StaticSchemas {
  readonly #options: StaticSchemasOptions
  #found: Promise<Record<string, ExtractedSchemas>> | undefined

  constructor(options: StaticSchemasOptions) {
    this.#options = options
  }

  /** Begins to read them before anything asks, after everything else that the machine has to do. */
  begin(): void {
    this.#found ??= this.#read({ isLater: true })
  }

  /**
   * What the sources say of the graph and of its subgraphs. Nothing where the analysis fails or takes too long; the
   * log says why, once.
   */
  async of(graph: Pick<GraphPlace, 'path' | 'exportName'>): Promise<ExtractedSchemas> {
    this.#found ??= this.#read({ isLater: false })
    return (await this.#found)[keyOf(graph)] ?? NOTHING
  }

  async #read({ isLater }: { isLater: boolean }): Promise<Record<string, ExtractedSchemas>> {
    const { graphs, builtAt, keptAt, log, timeoutMs = TIMEOUT_MS } = this.#options
    try {
      const built = builtAt && (await readBuilt(builtAt, graphs))
      if (built) return built
      const order = { graphs, isLater, ...(keptAt && { keptAt }) }
      return await extractInThread(order, { timeoutMs, isWaitedFor: false })
    } catch (err) {
      log.warn({ err }, 'could not read the schemas of the graphs in their sources')
      return {}
    }
  }
}

/**
 * Rejects when it takes longer than `timeoutMs`, or the compiler fails. `isWaitedFor`: whether a process with nothing else
 * to do goes on until then.
 */
export async function extractInThread(
  order: ExtractionOrder,
  { timeoutMs, isWaitedFor }: { timeoutMs: number; isWaitedFor: boolean },
): Promise<Record<string, ExtractedSchemas>> {
  const worker = new Worker(siblingModule('type-extraction-worker', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    workerData: order,
  })
  if (!isWaitedFor) worker.unref()
  try {
    const [answer] = await once(worker, 'message', { signal: AbortSignal.timeout(timeoutMs) })
    return answer
  } finally {
    // Nothing waits for a late error.
    worker.on('error', () => {})
    await worker.terminate()
  }
}

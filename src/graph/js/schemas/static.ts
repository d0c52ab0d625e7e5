/**
 * Schemas from the graphs' sources, for graphs that have none at run time (annotations). The compiler takes seconds, so
 * it works in a thread of its own, once for all graphs of a project. A build reads them ahead (`kept.ts`).
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Log } from '../../../core/log.ts'
import { type ExtractedSchemas, type GraphPlace, keyOf, readBuilt } from './kept.ts'
import type { ExtractionOrder } from './type-extraction-worker.ts'

/**
 * How long the analysis of a project may take, in ms. It takes seconds, and many times that on a busy machine. After a
 * timeout it is not tried again.
 */
const TIMEOUT_MS = 180_000
/** What the thread may use, in MiB; a compiler that needs more gives up. */
const MAX_MEMORY_MB = 1_024

export const NOTHING: ExtractedSchemas = { graph: {}, subgraphs: {} }

interface StaticSchemasOptions {
  /** The project's graphs, without those in Python. */
  graphs: GraphPlace[]
  /** The file that the project's build wrote, if any. */
  builtAt?: string
  /** The file that keeps the schemas for the next start. Absent: they are not kept. */
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

  /** Begins to read them ahead of the first request, after all other work of the machine. */
  begin(): void {
    this.#found ??= this.#read({ isLater: true })
  }

  /**
   * The schemas of the graph and its subgraphs, from the sources. Empty if the analysis fails or takes too long; the
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
 * Rejects when it takes longer than `timeoutMs`, or the compiler fails. `isWaitedFor`: whether the thread keeps an
 * otherwise idle process alive.
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
    // Ignores a late error.
    worker.on('error', () => {})
    await worker.terminate()
  }
}

/**
 * `name` has no extension; `of` is `import.meta.url`. Modules are TypeScript in a clone, and JavaScript where they are
 * compiled.
 */
function siblingModule(name: string, of: string): URL {
  const extension = of.endsWith('.js') ? 'js' : 'ts'
  return new URL(`${name}.${extension}`, of)
}

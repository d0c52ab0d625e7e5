/**
 * Schemas from a graph's source, for graphs that have none at run time (annotations). The compiler
 * takes seconds, so it works in a thread of its own: one at a time, once for each graph. What graphs
 * have in common, the libraries above all, it reads once.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Log } from '../../../core/log.ts'
import { siblingModule } from '../../../core/sibling-module.ts'
import type { JsGraphSpec } from '../../../project/config.ts'
import type { ExtractedSchemas, ExtractionRequest } from './type-extraction.ts'

/**
 * How long the analysis of one graph may take, in ms. It takes seconds, and its time on a machine with more to do is many
 * times that; what was not found then is not looked for again.
 */
const TIMEOUT_MS = 180_000
/** What the thread may use, in MiB; a compiler that needs more gives up. */
const MAX_MEMORY_MB = 1_024
/** How long the thread waits for another graph, in ms. */
const KEPT_MS = 30_000

const NOTHING: ExtractedSchemas = { graph: {}, subgraphs: {} }

/** What was found, or is being looked for, by the names of the subgraphs that were asked for. */
const known = new WeakMap<JsGraphSpec, Map<string, Promise<ExtractedSchemas>>>()

/**
 * What the source says of the graph and of its `subgraphs` (by the way to them). Nothing where the
 * analysis fails or takes more than `timeoutMs` (default 180,000); the log says why, once.
 */
export function staticSchemas(
  spec: JsGraphSpec,
  subgraphs: string[],
  { log, timeoutMs = TIMEOUT_MS }: { log: Log; timeoutMs?: number },
): Promise<ExtractedSchemas> {
  const answers = known.get(spec) ?? new Map<string, Promise<ExtractedSchemas>>()
  known.set(spec, answers)
  const key = subgraphs.join('\n')
  const answer = answers.get(key) ?? takeTurn(() => extract(spec, subgraphs, { log, timeoutMs }))
  answers.set(key, answer)
  return answer
}

let last: Promise<unknown> = Promise.resolve()

/** After those that came before. `work` may not fail. */
function takeTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = last.then(work)
  last = turn
  return turn
}

async function extract(
  { graph_id, file, exportName, path }: JsGraphSpec,
  subgraphs: string[],
  { log, timeoutMs }: { log: Log; timeoutMs: number },
): Promise<ExtractedSchemas> {
  try {
    return await askWorker({ file, exportName, subgraphs }, timeoutMs)
  } catch (err) {
    log.warn({ err, graph_id, file: path }, 'could not read the schemas of a graph in its source')
    return NOTHING
  }
}

/** The thread, kept for the next graph: it has read most of what that one consists of. */
let kept: { worker: Worker; dismissal: NodeJS.Timeout } | undefined

async function askWorker(request: ExtractionRequest, timeoutMs: number): Promise<ExtractedSchemas> {
  const worker = takeWorker()
  try {
    worker.postMessage(request)
    const [answer] = await once(worker, 'message', { signal: AbortSignal.timeout(timeoutMs) })
    keepWorker(worker)
    return answer
  } catch (err) {
    await worker.terminate()
    throw err
  }
}

function takeWorker(): Worker {
  clearTimeout(kept?.dismissal)
  const worker = kept?.worker ?? startWorker()
  kept = undefined
  return worker
}

/** It holds some hundred megabytes, so not for long. */
function keepWorker(worker: Worker): void {
  const dismissal = setTimeout(() => {
    kept = undefined
    void worker.terminate()
  }, KEPT_MS)
  dismissal.unref()
  kept = { worker, dismissal }
}

function startWorker(): Worker {
  const worker = new Worker(siblingModule('type-extraction-worker', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  })
  // A server that stops does not wait for it.
  worker.unref()
  // Whoever waits for an answer hears of it too.
  worker.on('error', () => {})
  worker.once('exit', () => {
    if (kept?.worker === worker) kept = undefined
  })
  return worker
}

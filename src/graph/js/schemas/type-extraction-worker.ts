/** The thread that `static.ts` starts: it carries out one order, and ends. */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { type ExtractedSchemas, type GraphPlace, readKept, writeKept } from './kept.ts'

export interface ExtractionOrder {
  graphs: GraphPlace[]
  /** A file of `kept.ts` that is used while no source has changed, and otherwise rewritten. Absent: none. */
  keptAt?: string
  /** Whether no request waits for the result, so that everything else comes first. */
  isLater: boolean
}

/** On Linux the priority is a thread's own; elsewhere it would be the whole server's. */
const LATER = 10

const { graphs, keptAt, isLater }: ExtractionOrder = workerData
if (isLater && process.platform === 'linux') setPriority(LATER)
parentPort?.postMessage(await answer())

async function answer(): Promise<Record<string, ExtractedSchemas>> {
  const kept = keptAt && (await readKept(keptAt, graphs, { isChecked: true }))
  if (kept) return kept
  // The compiler takes a third of a second to load.
  const { extractSchemas } = await import('./type-extraction.ts')
  const found = extractSchemas(graphs)
  if (keptAt) await writeKept(keptAt, found.graphs, found.files)
  return found.graphs
}

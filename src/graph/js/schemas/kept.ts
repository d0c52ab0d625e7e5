/**
 * Schemas that were read in a project's sources, kept in a file: a build's for its artifact, or those of an earlier
 * start.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { GraphSchemas } from '../../../core/agent/host/description.ts'

/** Changes with the result of an extraction: older files are ignored then. */
const FORMAT = 1

interface KeptSchemas {
  format: typeof FORMAT
  /** By `keyOf`. */
  graphs: Record<string, ExtractedSchemas>
  /** SHA-256 of every file that was read, by its absolute path; empty for a build, whose files do not change. */
  files: Record<string, string>
}

/** Where a build keeps them, beside the bundle of the `langgraph.json`. */
export function builtSchemasPath(configPath: string): string {
  return join(dirname(configPath), 'node_modules', '.runyard', 'schemas.json')
}

/** After this time a mark is ignored: the writer of the file has died. In ms. */
const MARK_MS = 60_000
/** How long an agent server waits for it, in ms: on a busy machine its own reading, of higher priority, is faster. */
const MOST_WAIT_MS = 3_000
const LOOK_MS = 50

/** Has `work` write a build's file at `path`, with a mark beside it meanwhile. */
export async function writingBuilt(path: string, work: () => Promise<void>): Promise<void> {
  const mark = markOf(path)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(mark, '')
  try {
    await work()
  } finally {
    await rm(mark, { force: true })
  }
}

/** Like `readKept`, for a build's file; waits a moment while it is being written. */
export async function readBuilt(
  path: string,
  graphs: GraphPlace[],
): Promise<Record<string, ExtractedSchemas> | undefined> {
  const until = performance.now() + MOST_WAIT_MS
  for (;;) {
    // Checked before the file: when the mark is gone, the file exists.
    const isComing = performance.now() < until && (await isBeingWritten(path))
    const built = await readKept(path, graphs, { isChecked: false })
    if (built || !isComing) return built
    await delay(LOOK_MS)
  }
}

async function isBeingWritten(path: string): Promise<boolean> {
  const mark = await stat(markOf(path)).catch(() => undefined)
  return mark !== undefined && Date.now() - mark.mtimeMs < MARK_MS
}

function markOf(path: string): string {
  return `${path}.coming`
}

/** `undefined` if there is no file, it lacks one of these graphs or, with `isChecked`, a source has changed since. */
export async function readKept(
  path: string,
  graphs: GraphPlace[],
  { isChecked }: { isChecked: boolean },
): Promise<Record<string, ExtractedSchemas> | undefined> {
  const kept = await parse(path)
  if (!kept || !graphs.every((graph) => kept.graphs[keyOf(graph)])) return undefined
  if (!isChecked) return kept.graphs
  for (const [file, digest] of Object.entries(kept.files)) {
    if ((await digestOf(file)) !== digest) return undefined
  }
  return kept.graphs
}

async function parse(path: string): Promise<KeptSchemas | undefined> {
  try {
    const kept: KeptSchemas = JSON.parse(await readFile(path, 'utf8'))
    return kept.format === FORMAT ? kept : undefined
  } catch {
    return undefined
  }
}

async function digestOf(file: string): Promise<string | undefined> {
  const content = await readFile(file).catch(() => undefined)
  return content && createHash('sha256').update(content).digest('hex')
}

/** `files`: the sources, if they are to be checked later. A reader finds the whole file or none. */
export async function writeKept(
  path: string,
  graphs: Record<string, ExtractedSchemas>,
  files: Iterable<string> = [],
): Promise<void> {
  const digests: Record<string, string> = {}
  for (const file of files) {
    const digest = await digestOf(file)
    if (digest !== undefined) digests[file] = digest
  }
  const kept: KeptSchemas = { format: FORMAT, graphs, files: digests }
  const unfinished = `${path}.${process.pid}`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(unfinished, JSON.stringify(kept))
  await rename(unfinished, path)
}

/** A graph, by the names that `langgraph.json` gives it. */
export interface GraphPlace {
  /** The file that exports the graph; absolute. */
  file: string
  /** As written. */
  path: string
  exportName: string
}

export interface ExtractedSchemas {
  graph: GraphSchemas
  /** By path (`node` or `node|node`). */
  subgraphs: Record<string, GraphSchemas>
}

/** The key of a graph, unique in its project. */
export function keyOf({ path, exportName }: Pick<GraphPlace, 'path' | 'exportName'>): string {
  return `${path}:${exportName}`
}

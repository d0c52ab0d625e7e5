/** Writes what a start of a project needs: its bundle and the schemas of its graphs. Says in a line what came of each. */
import { rm } from 'node:fs/promises'
import { writePieces } from '../../artifacts/pieces.ts'
import { bundlePath, bundleProject } from '../../graph/js/bundle/write.ts'
import { keyOf } from '../../graph/js/schemas/extracted.ts'
import { builtSchemasPath, writeKept, writingBuilt } from '../../graph/js/schemas/kept.ts'
import { extractInThread } from '../../graph/js/schemas/static.ts'
import { readProjectConfig } from '../../project/config.ts'
import { isJavascript } from '../../project/module-spec.ts'

/** A build does not wait longer for schemas, in ms: without them the first who asks does. */
const SCHEMAS_MS = 60_000

/** Loads esbuild and starts its process, for which no project is needed. Does not throw: that is for `bundle` to say. */
export async function prepare(): Promise<void> {
  try {
    const { build } = await import('esbuild')
    await build({ stdin: { contents: '' }, write: false, tsconfigRaw: '{}', logLevel: 'silent' })
  } catch {}
}

/** Both beside each other, for a build that waits for both. */
export async function bundle(configPath: string): Promise<void> {
  const [made, hasSchemas] = await Promise.all([writeBundle(configPath), writeSchemas(configPath)])
  if (!made) return
  // They are read in the sources and the packages then, which a pod has to have.
  const need = made.need ?? (hasSchemas ? undefined : 'its schemas are not read')
  await writePieces(made.file, need === undefined ? made.outside : undefined)
  console.log(
    need === undefined ? 'Pods unpack the bundle alone.' : `Pods unpack all packages: ${need}.`,
  )
}

type Bundled = Extract<Awaited<ReturnType<typeof bundleProject>>, { file: string }>

export async function writeBundle(configPath: string): Promise<Bundled | undefined> {
  // Those that the project brings are not ours.
  await writePieces(bundlePath(configPath), undefined)
  const made = await bundleProject(await readProjectConfig(configPath))
  if ('reason' in made) {
    console.log(`Warning: could not bundle, starts will be slower: ${made.reason}.`)
    return undefined
  }
  const size = (made.bytes / 1e6).toFixed(1)
  const outside = made.external.length > 0 ? `, without ${made.external.join(', ')}` : ''
  console.log(`Bundled ${made.files} files into one of ${size} MB${outside}.`)
  return made
}

/** Says nothing where they are written. Answers whether there are some of all graphs. */
export async function writeSchemas(configPath: string): Promise<boolean> {
  const { path, graphs } = await readProjectConfig(configPath)
  const written = graphs.filter(isJavascript)
  const file = builtSchemasPath(path)
  // One that the project brings is not ours.
  await rm(file, { force: true })
  if (written.length === 0) return true
  try {
    const order = { graphs: written, isLater: false }
    const terms = { timeoutMs: SCHEMAS_MS, isWaitedFor: true }
    let found: Awaited<ReturnType<typeof extractInThread>> = {}
    await writingBuilt(file, async () => {
      found = await extractInThread(order, terms)
      await writeKept(file, found)
    })
    return written.every((graph) => found[keyOf(graph)] !== undefined)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.log(`Schemas not read, so that the first request for them takes longer: ${reason}.`)
    return false
  }
}

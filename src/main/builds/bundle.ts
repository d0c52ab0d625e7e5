/** Writes the files for a fast start: a project's bundle and the schemas of its graphs. Prints a line about each. */
import { rm } from 'node:fs/promises'
import { writePieces } from '../../artifacts/pieces.ts'
import { BROKEN_FILE } from '../../core/deployment/builds/project-commands.ts'
import { bundlePath, bundleProject } from '../../graph/js/bundle/write.ts'
import { builtSchemasPath, keyOf, writeKept, writingBuilt } from '../../graph/js/schemas/kept.ts'
import { extractInThread } from '../../graph/js/schemas/static.ts'
import { readProjectConfig } from '../../project/config.ts'
import { isJavascript } from '../../project/module-spec.ts'

/** How long a build waits for schemas, in ms: without them, the first request for them waits. */
const SCHEMAS_MS = 60_000

/** Loads esbuild and starts its process, before the project is ready. Does not throw: `bundle` reports failures. */
export async function prepare(): Promise<void> {
  try {
    const { build } = await import('esbuild')
    await build({ stdin: { contents: '' }, write: false, tsconfigRaw: '{}', logLevel: 'silent' })
  } catch {}
}

/** Writes both in parallel, for a build that waits for both. */
export async function bundle(configPath: string): Promise<void> {
  const [made, hasSchemas] = await Promise.all([writeBundle(configPath), writeSchemas(configPath)])
  if (!made) return
  // Without built schemas, a pod reads them from the sources and packages, so it must have these.
  const need = made.need ?? (hasSchemas ? undefined : 'its schemas are not read')
  await writePieces(made.file, need === undefined ? made.outside : undefined)
  console.log(
    need === undefined ? 'Pods unpack the bundle alone.' : `Pods unpack all packages: ${need}.`,
  )
}

type Bundled = Extract<Awaited<ReturnType<typeof bundleProject>>, { file: string }>

export async function writeBundle(configPath: string): Promise<Bundled | undefined> {
  // Removes pieces that the project brought along.
  await writePieces(bundlePath(configPath), undefined)
  const made = await bundleProject(await readProjectConfig(configPath))
  if ('reason' in made) {
    if (made.isBroken) {
      console.log(`${BROKEN_FILE}${made.reason}`)
      process.exitCode = 1
    } else {
      console.log(`Warning: could not bundle, starts will be slower: ${made.reason}.`)
    }
    return undefined
  }
  const size = (made.bytes / 1e6).toFixed(1)
  const outside = made.external.length > 0 ? `, without ${made.external.join(', ')}` : ''
  console.log(`Bundled ${made.files} files into one of ${size} MB${outside}.`)
  return made
}

/** Prints nothing on success. Returns whether all graphs have schemas. */
export async function writeSchemas(configPath: string): Promise<boolean> {
  const { path, graphs } = await readProjectConfig(configPath)
  const written = graphs.filter(isJavascript)
  const file = builtSchemasPath(path)
  // Removes a file that the project brought along.
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

/** Writes what a start of a project needs: its bundle and the schemas of its graphs. Says in a line what came of each. */
import { rm } from 'node:fs/promises'
import { bundleProject } from '../../graph/js/bundle/write.ts'
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
  await Promise.all([writeBundle(configPath), writeSchemas(configPath)])
}

export async function writeBundle(configPath: string): Promise<void> {
  const made = await bundleProject(await readProjectConfig(configPath))
  if ('reason' in made) {
    console.log(`Not bundled, so that a start takes longer: ${made.reason}.`)
    return
  }
  const size = (made.bytes / 1e6).toFixed(1)
  const outside = made.external.length > 0 ? `, without ${made.external.join(', ')}` : ''
  console.log(`Bundled ${made.files} files into one of ${size} MB${outside}.`)
}

/** Says nothing where they are written. */
export async function writeSchemas(configPath: string): Promise<void> {
  const { path, graphs } = await readProjectConfig(configPath)
  const written = graphs.filter(isJavascript)
  const file = builtSchemasPath(path)
  // One that the project brings is not ours.
  await rm(file, { force: true })
  if (written.length === 0) return
  try {
    const order = { graphs: written, isLater: false }
    const terms = { timeoutMs: SCHEMAS_MS, isWaitedFor: true }
    await writingBuilt(file, async () => writeKept(file, await extractInThread(order, terms)))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.log(`Schemas not read, so that the first request for them takes longer: ${reason}.`)
  }
}

/** Writes what a start of a project needs: its bundle and the schemas of its graphs. Says in a line what came of each. */
import { rm } from 'node:fs/promises'
import { bundleProject } from '../../graph/js/bundle/write.ts'
import { builtSchemasPath, writeKept } from '../../graph/js/schemas/kept.ts'
import { extractInThread } from '../../graph/js/schemas/static.ts'
import { type ProjectConfig, readProjectConfig } from '../../project/config.ts'
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

export async function bundle(configPath: string): Promise<void> {
  const config = await readProjectConfig(configPath)
  const schemas = writeSchemas(config)
  await writeBundle(config)
  await schemas
}

async function writeBundle(config: ProjectConfig): Promise<void> {
  const made = await bundleProject(config)
  if ('reason' in made) {
    console.log(`Not bundled, so that a start takes longer: ${made.reason}.`)
    return
  }
  const size = (made.bytes / 1e6).toFixed(1)
  const outside = made.external.length > 0 ? `, without ${made.external.join(', ')}` : ''
  console.log(`Bundled ${made.files} files into one of ${size} MB${outside}.`)
}

/** Beside the bundle, since both take a core for seconds. */
async function writeSchemas({ path, graphs }: ProjectConfig): Promise<void> {
  const written = graphs.filter(isJavascript)
  const file = builtSchemasPath(path)
  // One that the project brings is not ours.
  await rm(file, { force: true })
  if (written.length === 0) return
  try {
    const order = { graphs: written, isLater: false }
    const terms = { timeoutMs: SCHEMAS_MS, isWaitedFor: true }
    await writeKept(file, await extractInThread(order, terms))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.log(`Schemas not read, so that the first request for them takes longer: ${reason}.`)
  }
}

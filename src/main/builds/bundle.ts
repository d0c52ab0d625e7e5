/** Writes the bundle of a project, and says in a line what came of it. */
import { bundleProject } from '../../graph/js/bundle/write.ts'
import { readProjectConfig } from '../../project/config.ts'

/** Loads esbuild and starts its process, for which no project is needed. Does not throw: that is for `bundle` to say. */
export async function prepare(): Promise<void> {
  try {
    const { build } = await import('esbuild')
    await build({ stdin: { contents: '' }, write: false, tsconfigRaw: '{}', logLevel: 'silent' })
  } catch {}
}

export async function bundle(configPath: string): Promise<void> {
  const made = await bundleProject(await readProjectConfig(configPath))
  if ('reason' in made) {
    console.log(`Not bundled, so that a start takes longer: ${made.reason}.`)
    return
  }
  const size = (made.bytes / 1e6).toFixed(1)
  const outside = made.external.length > 0 ? `, without ${made.external.join(', ')}` : ''
  console.log(`Bundled ${made.files} files into one of ${size} MB${outside}.`)
}

/** A project's folder becomes the tarball that a deployment is made from. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { create } from 'tar'

/** Never part of a deployment, whatever `.gitignore` says. */
const ALWAYS_LEFT_OUT = ['node_modules', '.git', '.runyard', '.langgraph_api', '.env', '.env.*']

/**
 * Packs the folder as a gzipped tarball, in memory, without what its `.gitignore` and
 * `.dockerignore` leave out and without `node_modules`, `.git` and `.env` files.
 */
export async function packFolder(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const ignored = await ignoreRules(folder)
  const isKept = (path: string) => {
    const relative = path.replace(/^\.\//, '')
    return relative === '.' || relative === '' || !ignored.ignores(relative)
  }
  const chunks: Buffer[] = []
  const archive = create({ cwd: folder, gzip: true, portable: true, filter: isKept }, ['.'])
  for await (const chunk of archive) chunks.push(chunk as Buffer)
  return new Uint8Array(Buffer.concat(chunks))
}

async function ignoreRules(folder: string): Promise<Ignore> {
  const rules = ignore().add(ALWAYS_LEFT_OUT)
  for (const name of ['.gitignore', '.dockerignore']) {
    rules.add(await readFile(join(folder, name), 'utf8').catch(() => ''))
  }
  return rules
}

/** Packs a project's folder into the tarball of a deployment. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { create } from 'tar'

/** Never part of a deployment, whatever `.gitignore` says. */
const alwaysLeftOut = ignore().add([
  'node_modules',
  '.git',
  '.runyard',
  '.langgraph_api',
  '.env',
  '.env.*',
])

/** As for Docker, `.dockerignore` counts only at the root. `.gitignore` counts in every folder. */
const AT_ROOT = ['.gitignore', '.dockerignore']
const BELOW = ['.gitignore']

/** The rules of one folder, for the paths below it. */
interface Rules {
  /** The folder's path with a slash at the end; empty for the root. */
  base: string
  ignored: Ignore
}

/**
 * Packs the folder as a gzipped tarball, in memory. It leaves out what its `.gitignore` and
 * `.dockerignore` name, and `node_modules`, `.git` and `.env` files.
 */
export async function packFolder(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const paths = await keptPaths(folder, '', [])
  const chunks: Buffer[] = []
  const options = { cwd: folder, gzip: true, portable: true, noDirRecurse: true }
  const archive = create(options, ['.', ...paths])
  for await (const chunk of archive) chunks.push(chunk as Buffer)
  return new Uint8Array(Buffer.concat(chunks))
}

/** The paths below `base` to pack, each folder before its contents. */
async function keptPaths(folder: string, base: string, above: Rules[]): Promise<string[]> {
  const rules = [...above, await rulesOf(folder, base)]
  const entries = await readdir(join(folder, base), { withFileTypes: true })
  const kept: string[] = []
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = base + entry.name
    const isFolder = entry.isDirectory()
    if (isLeftOut(isFolder ? `${path}/` : path, rules)) continue
    // Without `./`, tar would read a name that begins with @ as a list of files.
    kept.push(`./${path}`)
    if (isFolder) kept.push(...(await keptPaths(folder, `${path}/`, rules)))
  }
  return kept
}

async function rulesOf(folder: string, base: string): Promise<Rules> {
  const ignored = ignore()
  for (const name of base === '' ? AT_ROOT : BELOW) {
    ignored.add(await readFile(join(folder, base, name), 'utf8').catch(() => ''))
  }
  return { base, ignored }
}

/** Whether the rules leave the path out. Those of the nearest folder that matches decide. */
function isLeftOut(path: string, rules: Rules[]): boolean {
  if (alwaysLeftOut.ignores(path)) return true
  for (const { base, ignored } of rules.toReversed()) {
    const verdict = ignored.test(path.slice(base.length))
    if (verdict.ignored || verdict.unignored) return verdict.ignored
  }
  return false
}

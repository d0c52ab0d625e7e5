/** Packs a project's folder into the tarball of a deployment. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { create } from 'tar'
import {
  ENVIRONMENT_MARK,
  type FolderRules,
  folderRules,
  ignoreFilesOf,
  isLeftOut,
} from '../../../client/src/sent-files.ts'

/** A file or folder that is sent, as `./path/to/it`. */
export interface KeptPath {
  path: string
  isFolder: boolean
}

/**
 * The files that are sent, each folder before its contents: all except those that `.gitignore` and
 * `.dockerignore` name, `node_modules`, `.git`, environments and caches of Python, and `.env` files.
 */
export function listKept(folder: string): Promise<KeptPath[]> {
  return keptPaths(folder, '', [])
}

/** Packs the files that are sent (`listKept`) as a gzipped tarball, in memory. */
export async function packFolder(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const paths = (await listKept(folder)).map(({ path }) => path)
  const chunks: Buffer[] = []
  const options = { cwd: folder, gzip: true, portable: true, noDirRecurse: true }
  const archive = create(options, ['.', ...paths])
  for await (const chunk of archive) chunks.push(chunk as Buffer)
  return new Uint8Array(Buffer.concat(chunks))
}

async function keptPaths(folder: string, base: string, above: FolderRules[]): Promise<KeptPath[]> {
  const rules = [...above, await rulesOf(folder, base)]
  const entries = await readdir(join(folder, base), { withFileTypes: true })
  if (base !== '' && entries.some(({ name }) => name === ENVIRONMENT_MARK)) return []
  const kept: KeptPath[] = base === '' ? [] : [{ path: `./${base.slice(0, -1)}`, isFolder: true }]
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = base + entry.name
    const isFolder = entry.isDirectory()
    if (isLeftOut(isFolder ? `${path}/` : path, rules)) continue
    // Without `./`, tar would read a name that begins with @ as a list of files.
    if (isFolder) kept.push(...(await keptPaths(folder, `${path}/`, rules)))
    else kept.push({ path: `./${path}`, isFolder })
  }
  return kept
}

async function rulesOf(folder: string, base: string): Promise<FolderRules> {
  const read = (name: string) => readFile(join(folder, base, name), 'utf8').catch(() => '')
  return folderRules(base, await Promise.all(ignoreFilesOf(base).map(read)))
}

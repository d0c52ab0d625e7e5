/**
 * Notes the source of a revision beside its build log, before anything is installed into it. The note stays when the
 * build is removed, so that a later revision can still be compared with it.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type {
  Commit,
  SourceFile,
  SourceSnapshot,
  SourceSnapshots,
} from '../../core/deployment/sources/snapshot.ts'
import { revisionFolder } from '../layout.ts'
import { isLockFile, readLockedPackages } from './locked-packages.ts'

const MAX_FILES = 5000
/** Texts of larger files are not kept, in bytes. */
const MAX_TEXT_BYTES = 128 * 1024
/** All texts of a source together, in bytes. */
const MAX_ALL_TEXT_BYTES = 4 * 1024 * 1024
/** The packages of larger lock files are not read, in bytes: a `uv.lock` of this size takes 0.1 s. */
const MAX_LOCK_BYTES = 4 * 1024 * 1024

/** Files that usually contain secrets: their texts are never kept. */
const PRIVATE =
  /^(\.env(\..*)?|.*\.env|\.npmrc|\.yarnrc(\.yml)?|\.netrc|\.pypirc|id_[a-z0-9]+|.*\.(pem|key|p12|pfx))$/i

/** Packages and caches, should a source contain them. */
const SKIPPED = new Set(['.git', 'node_modules', '.venv', '__pycache__'])

/** `dir`: the builder's folder. */
export function createSourceSnapshots(dir: string): SourceSnapshots {
  return {
    async read(revision_id) {
      const file = snapshotPath(dir, revision_id)
      const packed = await readFile(file).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      })
      return packed && readPacked(packed)
    },
  }
}

/** `source`: the top of the source, as fetched. */
export async function writeSnapshot(
  dir: string,
  revision_id: string,
  { source, commit }: { source: string; commit: Commit | null },
): Promise<void> {
  const text = JSON.stringify(await snapshotOf(source, commit))
  const packed = await promisify(gzip)(text)
  await writeFile(snapshotPath(dir, revision_id), packed, { mode: 0o600 })
}

function snapshotPath(dir: string, revision_id: string): string {
  return join(revisionFolder(dir, revision_id).root, 'source.json.gz')
}

/** `undefined` for a file that a crash or a full disk has cut off. */
async function readPacked(packed: Buffer): Promise<SourceSnapshot | undefined> {
  try {
    return JSON.parse((await promisify(gunzip)(packed)).toString('utf8'))
  } catch {
    return undefined
  }
}

async function snapshotOf(source: string, commit: Commit | null): Promise<SourceSnapshot> {
  const paths = await filesBelow(source)
  const files: SourceFile[] = []
  const packages: SourceSnapshot['packages'] = {}
  let room = MAX_ALL_TEXT_BYTES
  for (const path of paths.slice(0, MAX_FILES)) {
    const file = join(source, path)
    const { size: bytes } = await stat(file)
    const isLock = isLockFile(path)
    const limit = isLock ? MAX_LOCK_BYTES : Math.min(MAX_TEXT_BYTES, room)
    const isRead = bytes <= limit && !PRIVATE.test(basename(path))
    const content = isRead ? await readFile(file) : undefined
    const text = content && !isLock ? textOf(content) : null
    if (text !== null) room -= bytes
    const digest = content ? sha256(content) : await digestOf(file)
    files.push({ path, bytes, digest, text })
    if (content && isLock) packages[path] = readLockedPackages(path, content.toString('utf8'))
  }
  return { commit, files, left_out: Math.max(0, paths.length - MAX_FILES), packages }
}

/** Regular files only: a link may lead anywhere. */
async function filesBelow(folder: string, base = '', found: string[] = []): Promise<string[]> {
  const entries = await readdir(join(folder, base), { withFileTypes: true })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = base + entry.name
    if (entry.isFile()) found.push(path)
    else if (entry.isDirectory() && !SKIPPED.has(entry.name)) {
      await filesBelow(folder, `${path}/`, found)
    }
  }
  return found
}

/** `null` for a binary file. */
function textOf(content: Buffer): string | null {
  if (content.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return null
  }
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex')
}

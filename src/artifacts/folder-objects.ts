/**
 * Opens the place of uploads and builds. Keeps objects as files of a folder: of this machine, or of a file system that
 * several mount; `s3-objects.ts` keeps them in S3.
 */
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { AppError } from '../core/errors.ts'
import { checkObjectName, type ObjectStore } from '../core/object-store.ts'
import type { ArtifactsPlace } from '../core/s3-address.ts'

interface FolderOptions {
  /** Absolute; made where it is missing. */
  root: string
  /** Whether other machines mount it. */
  isShared?: boolean
}

/** Unfinished objects lie here; those left by a crash are removed a day later. */
const UNFINISHED = 'unfinished'
const ABANDONED_MS = 24 * 3_600_000

export function openFolderObjects({ root, isShared = false }: FolderOptions): ObjectStore {
  const pathOf = (name: string) => join(root, checkObjectName(name))
  void removeAbandoned(join(root, UNFINISHED))
  return {
    isShared,
    pathOf,
    async put(name, body) {
      const path = pathOf(name)
      // A unique name: two writes at once do not mix.
      const unfinished = join(root, UNFINISHED, randomUUID())
      try {
        await mkdir(dirname(unfinished), { recursive: true, mode: 0o700 })
        const bytes = await writeDurably(unfinished, body)
        await moveTo(unfinished, path)
        return bytes
      } catch (error) {
        await rm(unfinished, { force: true }).catch(() => {})
        throw asRefusal(error)
      }
    },
    async get(name) {
      const bytes = await sizeOf(pathOf(name))
      return bytes === undefined ? undefined : { bytes, body: fileContent(pathOf(name)) }
    },
    size: (name) => sizeOf(pathOf(name)),
    async list(prefix) {
      if (prefix !== '') checkObjectName(prefix.replace(/\/$/, ''))
      const names = await filesBelow(join(root, prefix))
      return names.map((path) => relative(root, path)).filter((name) => !isUnfinished(name))
    },
    async remove(name) {
      await rm(pathOf(name), { force: true })
      await removeEmpty(dirname(pathOf(name)), root)
    },
  }
}

async function writeDurably(path: string, body: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', 0o600)
  try {
    let bytes = 0
    for await (const chunk of body) {
      await writeAll(file, chunk)
      bytes += chunk.length
    }
    await file.sync()
    return bytes
  } finally {
    await file.close()
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let offset = 0
  while (offset < chunk.length) {
    offset += (await file.write(chunk, offset)).bytesWritten
  }
}

/** Survives a power cut. Tries again if a removal beside it deletes the folder that was just made. */
async function moveTo(unfinished: string, path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await rename(unfinished, path)
      return await syncFolder(dirname(path))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === 3) throw error
    }
  }
}

/** Makes the rename last through a power cut. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

async function sizeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  return found?.isFile() ? found.size : undefined
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const below = entries.map(async (entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesBelow(path)
    return entry.isFile() ? [path] : []
  })
  return (await Promise.all(below)).flat()
}

function isUnfinished(name: string): boolean {
  return name.startsWith(`${UNFINISHED}/`)
}

async function removeEmpty(folder: string, root: string): Promise<void> {
  if (folder === root || !folder.startsWith(root)) return
  const isEmpty = await rmdir(folder).then(
    () => true,
    () => false,
  )
  if (isEmpty) await removeEmpty(dirname(folder), root)
}

/** Never rejects, since nothing awaits it. The builder removes its own folders there. */
async function removeAbandoned(unfinished: string): Promise<void> {
  for (const name of await readdir(unfinished).catch(() => [])) {
    const path = join(unfinished, name)
    const found = await stat(path).catch(() => undefined)
    if (!found?.isFile() || Date.now() - found.mtimeMs < ABANDONED_MS) continue
    await rm(path, { force: true }).catch(() => {})
  }
}

/** Whether the disk is full or read-only. */
const NO_WRITES = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EFBIG']

function asRefusal(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined || !NO_WRITES.includes(code)) return error
  const what = `It cannot be stored now: ${message}. Make room, then send it again.`
  return new AppError('unavailable', what, { cause: error })
}

/**
 * Opens the file at the first read and closes it after the last, or when the reader stops. So a reader that never
 * starts leaves nothing open, and a waiting reader receives every error. A stream that is opened earlier may fail
 * without a listener, which ends the process.
 */
export async function* fileContent(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path)
}

/**
 * Opens the place where an installation keeps its uploads and builds. `dir`: the folder of this machine, used if no
 * place is set; absolute.
 */
export async function openObjects(
  place: ArtifactsPlace | undefined,
  { dir }: { dir: string },
): Promise<ObjectStore> {
  if (!place) return openFolderObjects({ root: dir })
  if (place.kind === 'folder') return openFolderObjects({ root: place.path, isShared: true })
  const { openS3Objects } = await import('./s3-objects.ts')
  return openS3Objects(place.address)
}

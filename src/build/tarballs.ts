/** Uploaded tarballs on disk. */
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Tarballs } from '../core/deployment/build.ts'
import { MAX_TARBALL_BYTES } from '../core/deployment/upload.ts'
import { AppError } from '../core/errors.ts'
import { unfinishedFolder, uploadPath } from './layout.ts'

/**
 * Keeps tarballs below `dir/uploads`. One at a time may work on a `dir`: what an earlier one left
 * unfinished is removed. `maxBytes` is there for tests; the default is `MAX_TARBALL_BYTES`.
 */
export function createTarballs(options: { dir: string; maxBytes?: number }): Tarballs {
  const maxBytes = options.maxBytes ?? MAX_TARBALL_BYTES
  const unfinishedDir = unfinishedFolder(options.dir)
  rmSync(unfinishedDir, { recursive: true, force: true })
  return {
    async receive(object_path, body) {
      const path = uploadPath(options.dir, object_path)
      // A name of its own for each upload: two of them at once do not mix.
      const unfinished = join(unfinishedDir, randomUUID())
      try {
        await mkdir(unfinishedDir, { recursive: true, mode: 0o700 })
        const bytes = await writeDurably(unfinished, checked(body, maxBytes))
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await rename(unfinished, path)
        await syncFolder(dirname(path))
        return bytes
      } catch (error) {
        await rm(unfinished, { force: true }).catch(() => {})
        throw asRefusal(error)
      }
    },
    async remove(object_path) {
      await rm(uploadPath(options.dir, object_path), { force: true })
    },
  }
}

/** Whether the disk is full or read-only. */
const NO_WRITES = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EFBIG']

function asRefusal(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined || !NO_WRITES.includes(code)) return error
  const what = `The tarball cannot be stored now: ${message}. Make room, then upload it again.`
  return new AppError('unavailable', what, { cause: error })
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

/** Makes the rename last through a power cut. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

/** Passes the body on as long as it is small enough and begins like a gzip file. */
async function* checked(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of body) {
    for (let i = 0; i < chunk.length && bytes + i < GZIP_MAGIC.length; i++) {
      if (chunk[i] !== GZIP_MAGIC[bytes + i]) throw notGzip()
    }
    bytes += chunk.length
    if (bytes > maxBytes) {
      throw new AppError('too_large', `The tarball is larger than ${maxBytes} bytes.`)
    }
    yield chunk
  }
  if (bytes < GZIP_MAGIC.length) throw notGzip()
}

const GZIP_MAGIC = [0x1f, 0x8b]

function notGzip(): AppError {
  return new AppError('bad_request', 'This is no gzip file: send the project as a .tar.gz.')
}

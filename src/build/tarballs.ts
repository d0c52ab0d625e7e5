/** Uploaded tarballs, as objects below `uploads/`. */
import { randomUUID } from 'node:crypto'
import { createWriteStream, rmSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Tarballs } from '../core/deployment/builds/build.ts'
import { MAX_TARBALL_BYTES, uploadName } from '../core/deployment/upload.ts'
import { AppError } from '../core/errors.ts'
import type { ObjectStore, StoredObject } from '../core/object-store.ts'
import { isFile } from './is-file.ts'
import { unfinishedFolder, uploadPath } from './layout.ts'

interface TarballsOptions {
  /** The builder's folder. One process at a time may use it: unfinished files of an earlier one are removed. */
  dir: string
  objects: ObjectStore
  /** For tests; the default is `MAX_TARBALL_BYTES`. */
  maxBytes?: number
}

export function createTarballs({
  dir,
  objects,
  maxBytes = MAX_TARBALL_BYTES,
}: TarballsOptions): Tarballs {
  rmSync(unfinishedFolder(dir), { recursive: true, force: true })
  return {
    receive: (object_path, body) => objects.put(uploadName(object_path), checked(body, maxBytes)),
    async use(object_path, work) {
      const name = uploadName(object_path)
      // With a store for several, this machine may still hold older tarballs.
      for (const path of [objects.pathOf?.(name), uploadPath(dir, object_path)]) {
        if (path === undefined || !(await isFile(path))) continue
        await work(path)
        return true
      }
      const found = objects.pathOf ? undefined : await objects.get(name)
      if (found) await withFile(dir, found, work)
      return found !== undefined
    },
    async remove(object_path) {
      await objects.remove(uploadName(object_path))
      await rm(uploadPath(dir, object_path), { force: true })
    },
    async removeAll(deployment_id) {
      for (const name of await objects.list(`${uploadName(deployment_id)}/`)) {
        await objects.remove(name)
      }
    },
  }
}

/** Keeps the tarball on this machine while `work` runs. */
async function withFile(
  dir: string,
  { body, bytes }: StoredObject,
  work: (path: string) => Promise<void>,
): Promise<void> {
  const path = join(unfinishedFolder(dir), randomUUID())
  await mkdir(unfinishedFolder(dir), { recursive: true, mode: 0o700 })
  try {
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    await pipeline(body, file).catch((cause: unknown) => {
      throw new AppError('unavailable', 'The tarball did not come whole: it is tried again.', {
        cause,
      })
    })
    if (file.bytesWritten !== bytes) {
      throw new AppError(
        'unavailable',
        `Of the tarball came ${file.bytesWritten} of ${bytes} bytes.`,
      )
    }
    await work(path)
  } finally {
    await rm(path, { force: true })
  }
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

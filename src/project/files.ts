/** Reads the files of a project, which may be anything. */
import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { AppError } from '../core/errors.ts'

/** Whether the path exists, links followed. */
export async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** Lock files of large workspaces have some ten MiB. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * The text of a file. Throws `bad_request` if the path leads to a device or a pipe, which may never end, and for more
 * than `maxBytes` (default 64 MiB); the system's own error if nothing can be read.
 */
export async function readTextFile(path: string, maxBytes = MAX_BYTES): Promise<string> {
  // Opening a pipe would otherwise wait for its writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = await file.stat()
    if (!found.isFile() && !found.isDirectory()) throw refusal(path, 'it is no file')
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of file.createReadStream({ end: maxBytes, autoClose: false })) {
      chunks.push(chunk)
      bytes += chunk.length
    }
    if (bytes <= maxBytes) return Buffer.concat(chunks).toString('utf8')
    throw refusal(path, `it is larger than ${maxBytes} bytes`)
  } finally {
    await file.close()
  }
}

function refusal(path: string, why: string): AppError {
  return new AppError('bad_request', `${path} is not read: ${why}.`)
}

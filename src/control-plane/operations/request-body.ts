/** The limit of JSON bodies. */
import type { MiddlewareHandler } from 'hono'
import { AppError } from '../../core/errors.ts'

/** The largest JSON body, in bytes: room for 200 secrets of 64 KiB. */
const MAX_BODY_BYTES = 20 * 1024 * 1024

/**
 * Refuses larger bodies with `too_large`: by the announced length before anything is read, or, in chunks, as
 * soon as the limit is passed. Hono's own middleware rebuilds the request, which does not work with the
 * server's light requests.
 */
export const limitBody: MiddlewareHandler = async (c, next) => {
  const length = c.req.header('content-length')
  if (length !== undefined && Number(length) > MAX_BODY_BYTES) throw tooLarge()
  const isChunked = c.req.header('transfer-encoding') !== undefined
  const { body } = c.req.raw
  if (isChunked && body) {
    // The cache holds promises, despite its type.
    Object.assign(c.req.bodyCache, { arrayBuffer: Promise.resolve(await readLimited(body)) })
  }
  await next()
}

async function readLimited(body: AsyncIterable<Uint8Array>): Promise<ArrayBuffer> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(new Uint8Array(chunk))
  }
  return new Blob(chunks).arrayBuffer()
}

function tooLarge(): AppError {
  return new AppError('too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`)
}

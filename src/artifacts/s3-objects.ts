/** Objects in an S3-compatible store, through the official client, which is loaded only here. */
import { Readable } from 'node:stream'
import type { S3ClientConfig } from '@aws-sdk/client-s3'
import { AppError } from '../core/errors.ts'
import { importLater } from '../core/later-package.ts'
import { checkObjectName, MAX_SIGNED_MS, type ObjectStore } from '../core/object-store.ts'
import type { S3Address } from '../core/s3-address.ts'

/** Two parts of 8 MiB are in memory at a time; S3 takes 10,000 of them, so 80 GB. */
const PART_BYTES = 8 * 1024 * 1024
const PARTS_AT_ONCE = 2
const ATTEMPTS = 4
const CONNECT_MS = 10_000
/** How long the store may be silent in the middle of an answer. */
const SILENCE_MS = 60_000

type Credentials = NonNullable<S3ClientConfig['credentials']>

/** Absent: as every Amazon client finds them, from `AWS_*` to the identity of a pod. */
interface S3Options {
  credentials?: Credentials
}

/** Sends no request yet. */
export async function openS3Objects(
  address: S3Address,
  { credentials }: S3Options = {},
): Promise<ObjectStore> {
  const [s3, { Upload }, { getSignedUrl }] = await importLater('to keep files in S3', () =>
    Promise.all([
      import('@aws-sdk/client-s3'),
      import('@aws-sdk/lib-storage'),
      import('@aws-sdk/s3-request-presigner'),
    ]),
  )
  const client = new s3.S3Client({
    ...configOf(address),
    ...(credentials && { credentials }),
  })
  const { bucket: Bucket, prefix } = address
  const at = (name: string) => ({ Bucket, Key: prefix + checkObjectName(name) })
  const ask = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => {
      throw refusalOf(error, address)
    })
  return {
    isShared: true,
    async put(name, body) {
      const count = { bytes: 0 }
      const source = Readable.from(counted(body, count), { objectMode: false })
      const failed = failureOf(source)
      const params = { ...at(name), Body: source }
      const upload = new Upload({ client, params, partSize: PART_BYTES, queueSize: PARTS_AT_ONCE })
      try {
        await Promise.race([upload.done(), failed])
      } catch (error) {
        // Aborts the multipart upload: parts left behind would be invisible and cost money.
        await upload.abort().catch(() => {})
        source.destroy()
        if (error instanceof BodyFailed) throw error.cause
        throw refusalOf(error, address)
      }
      return count.bytes
    },
    async get(name) {
      const answer = await ask(orMissing(client.send(new s3.GetObjectCommand(at(name)))))
      return answer && { bytes: answer.ContentLength ?? 0, body: answer.Body as Readable }
    },
    async size(name) {
      const answer = await ask(orMissing(client.send(new s3.HeadObjectCommand(at(name)))))
      return answer && (answer.ContentLength ?? 0)
    },
    async list(below) {
      const pages = s3.paginateListObjectsV2({ client }, { Bucket, Prefix: prefix + below })
      const names: string[] = []
      const read = async () => {
        for await (const { Contents = [] } of pages) {
          for (const { Key } of Contents) if (Key) names.push(Key.slice(prefix.length))
        }
      }
      await ask(read())
      return names
    },
    async remove(name) {
      await ask(client.send(new s3.DeleteObjectCommand(at(name))))
    },
    signedUrl(name, lifetimeMs) {
      const expiresIn = Math.floor(Math.min(lifetimeMs, MAX_SIGNED_MS) / 1000)
      return ask(getSignedUrl(client, new s3.GetObjectCommand(at(name)), { expiresIn }))
    },
  }
}

function configOf({ endpoint, region, isPathStyle }: S3Address): S3ClientConfig {
  return {
    region,
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle: isPathStyle,
    maxAttempts: ATTEMPTS,
    // Many stores refuse the checksums that Amazon's own takes behind a body; TLS and our digests replace them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
  }
}

class BodyFailed extends Error {}

async function* counted(body: AsyncIterable<Uint8Array>, count: { bytes: number }) {
  try {
    for await (const chunk of body) {
      count.bytes += chunk.length
      yield chunk
    }
  } catch (cause) {
    throw new BodyFailed('the body ended early', { cause })
  }
}

/** The client does not always pass on the error of a body, or only after its attempts. */
function failureOf(source: Readable): Promise<never> {
  return new Promise((_, reject) => source.once('error', reject))
}

async function orMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name)) return undefined
    throw error
  })
}

function refusalOf(cause: unknown, { bucket, endpoint }: S3Address): AppError {
  if (cause instanceof AppError) return cause
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause))
  const where = `the bucket ${bucket}${endpoint === undefined ? '' : ` at ${endpoint}`}`
  const why = message && message !== name ? `${name}: ${message}` : name
  const what = `The artifact store, ${where}, does not do as asked (${why}).`
  return new AppError('unavailable', `${what} See RUNYARD_ARTIFACTS_URL and its AWS_* keys.`, {
    cause,
  })
}

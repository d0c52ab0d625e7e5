/**
 * Packed folders as objects.
 *
 * ```
 * artifacts/<revision_id>/<digest>.tar.gz
 *                         packed.json      written last: it is whole
 * ```
 *
 * While a revision is built elsewhere, its source lies there too, under a digest of its own.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, timestamp } from '../core/clock.ts'
import { grantArtifact, grantBuilt } from '../core/deployment/artifacts/grant.ts'
import type {
  ArtifactStore,
  PackedArtifact,
  Publication,
} from '../core/deployment/artifacts/store.ts'
import { AppError } from '../core/errors.ts'
import { MAX_SIGNED_MS, type ObjectStore } from '../core/object-store.ts'
import { fileContent } from './folder-objects.ts'
import { packFolder } from './pack.ts'

interface ArtifactStoreOptions {
  objects: ObjectStore
  /** Where a folder is packed before it is kept; absolute. */
  unfinishedDir: string
  /** `ControlPlaneStore.signingKey`. */
  signingKey: Uint8Array
  /** The control plane's URL for downloads, without a slash at the end. */
  homeUrl(): Promise<string>
  clock: Clock
}

/** How long the store's URL works that the control plane redirects to, in ms. */
const REDIRECT_MS = 15 * 60_000
const TOP = 'artifacts'
const RECORD = 'packed.json'
/** Larger than any folder that a build may unpack and install in its limits, packed. */
const MAX_RECEIVED_BYTES = 8 * 1024 ** 3
/** A source, its build result, and those of a restarted build: a build that sends more is refused. */
const MOST_OBJECTS = 4
const DIGEST = /^[0-9a-f]{64}$/

export function createArtifactStore(options: ArtifactStoreOptions): ArtifactStore {
  const { objects, signingKey, homeUrl, clock } = options
  const underWay = new Map<string, Promise<PackedArtifact>>()
  const addressOf = async (revision_id: string, digest: string) => {
    const signed = await objects.signedUrl?.(nameOf(revision_id, digest), MAX_SIGNED_MS)
    const own = `${await homeUrl()}${grantArtifact(signingKey, { revision_id, digest }, clock.now())}`
    return { url: signed === undefined ? own : `${signed} ${own}`, digest }
  }
  const store: ArtifactStore = {
    async publish(what, signal) {
      const { id } = what.artifact
      const packed = underWay.get(id) ?? publish(what, options, signal)
      underWay.set(id, packed)
      return packed.finally(() => underWay.delete(id))
    },
    find: (revision_id) => readRecord(objects, revision_id),
    addressOf: ({ artifact, digest }) => addressOf(artifact.id, digest),
    async lend(revision_id, root, signal) {
      const { digest } = await keepPacked(revision_id, root, options, { signal })
      return addressOf(revision_id, digest)
    },
    async uploadUrl(revision_id, lifetimeMs) {
      return `${await homeUrl()}${grantBuilt(signingKey, revision_id, clock.now() + lifetimeMs)}`
    },
    async receive(revision_id, digest, body) {
      const name = await placeFor(objects, revision_id, digest)
      await objects.put(name, verified(body, digest))
    },
    async settle({ artifact, digest, repo_commit_sha }) {
      const known = await readRecord(objects, artifact.id)
      if (known?.digest === digest) return known
      const bytes = await objects.size(nameOf(artifact.id, digest))
      if (bytes === undefined) return undefined
      const packed = { artifact, digest, bytes, repo_commit_sha, packed_at: timestamp(clock) }
      await writeRecord(objects, packed)
      const all = await objects.list(`${TOP}/${artifact.id}/`)
      const kept = [nameOf(artifact.id, digest), recordName(artifact.id)]
      for (const name of all) if (!kept.includes(name)) await objects.remove(name)
      return packed
    },
    async open(revision_id, digest) {
      const name = nameOf(revision_id, digest)
      if (!objects.signedUrl) return objects.get(name)
      if ((await objects.size(name)) === undefined) return undefined
      return { url: await objects.signedUrl(name, REDIRECT_MS) }
    },
    async list() {
      const names = await objects.list(`${TOP}/`)
      return [...new Set(names.map((name) => name.split('/')[1] ?? ''))]
    },
    async remove(revision_id) {
      // The record first, so that it never names removed objects.
      await objects.remove(recordName(revision_id))
      for (const name of await objects.list(`${TOP}/${revision_id}/`)) await objects.remove(name)
    },
  }
  return store
}

function nameOf(revision_id: string, digest: string): string {
  return `${TOP}/${revision_id}/${digest}.tar.gz`
}

function recordName(revision_id: string): string {
  return `${TOP}/${revision_id}/${RECORD}`
}

async function publish(
  { artifact, repo_commit_sha, root }: Publication,
  options: ArtifactStoreOptions,
  signal: AbortSignal | undefined,
): Promise<PackedArtifact> {
  const { objects, clock } = options
  const known = await readRecord(objects, artifact.id)
  if (known) return known
  const { digest, bytes } = await keepPacked(artifact.id, root, options, {
    bundle: artifact.bundle,
    signal,
  })
  const packed = { artifact, digest, bytes, repo_commit_sha, packed_at: timestamp(clock) }
  await writeRecord(objects, packed)
  return packed
}

/** Packs a folder of this machine and keeps it under its digest. */
async function keepPacked(
  revision_id: string,
  root: string,
  { objects, unfinishedDir }: ArtifactStoreOptions,
  how: { bundle?: string | null; signal: AbortSignal | undefined },
): Promise<{ digest: string; bytes: number }> {
  const path = join(unfinishedDir, randomUUID())
  await mkdir(unfinishedDir, { recursive: true, mode: 0o700 })
  try {
    const packed = await packFolder(root, path, how)
    await objects.put(nameOf(revision_id, packed.digest), fileContent(path))
    return packed
  } finally {
    await rm(path, { force: true })
  }
}

async function writeRecord(objects: ObjectStore, packed: PackedArtifact): Promise<void> {
  await objects.put(recordName(packed.artifact.id), textOf(JSON.stringify(packed)))
}

/** Throws `conflict` if the revision has too many. */
async function placeFor(
  objects: ObjectStore,
  revision_id: string,
  digest: string,
): Promise<string> {
  if (!DIGEST.test(digest)) throw new AppError('bad_request', 'The digest is no SHA-256 in hex.')
  const name = nameOf(revision_id, digest)
  const names = await objects.list(`${TOP}/${revision_id}/`)
  if (names.includes(recordName(revision_id))) {
    throw new AppError('conflict', 'This revision is built: nothing more is taken for it.')
  }
  if (!names.includes(name) && names.length >= MOST_OBJECTS) {
    throw new AppError('conflict', 'This build has sent enough: deploy the revision again.')
  }
  return name
}

/** Passes the body on, and throws at its end if the digest does not match. */
async function* verified(
  body: AsyncIterable<Uint8Array>,
  digest: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > MAX_RECEIVED_BYTES) {
      throw new AppError('too_large', `The folder is larger than ${MAX_RECEIVED_BYTES} bytes.`)
    }
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('hex') === digest) return
  throw new AppError('bad_request', `What came (${bytes} bytes) has another digest: send it again.`)
}

async function readRecord(
  objects: ObjectStore,
  revision_id: string,
): Promise<PackedArtifact | undefined> {
  const found = await objects.get(recordName(revision_id))
  if (!found) return undefined
  const parts: Uint8Array[] = []
  for await (const part of found.body) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString()) as PackedArtifact
}

async function* textOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

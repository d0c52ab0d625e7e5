/**
 * Packed folders as objects.
 *
 * ```
 * artifacts/<revision_id>/<digest>.tar.gz
 *                         packed.json      written last: it is whole
 * ```
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, timestamp } from '../core/clock.ts'
import { grantArtifact } from '../core/deployment/artifact-grant.ts'
import type {
  ArtifactStore,
  PackedArtifact,
  Publication,
} from '../core/deployment/artifact-store.ts'
import { MAX_SIGNED_MS, type ObjectStore } from '../core/object-store.ts'
import { fileContent } from './file-content.ts'
import { packFolder } from './pack.ts'

interface ArtifactStoreOptions {
  objects: ObjectStore
  /** Where a folder is packed before it is kept; absolute. */
  unfinishedDir: string
  /** `ControlPlaneStore.signingKey`. */
  signingKey: Uint8Array
  /** Where those who fetch reach the control plane, without a slash at the end. */
  homeUrl(): Promise<string>
  clock: Clock
}

/** How long the store's own address works to which the control plane's leads, in ms. */
const REDIRECT_MS = 15 * 60_000
const TOP = 'artifacts'
const RECORD = 'packed.json'

export function createArtifactStore(options: ArtifactStoreOptions): ArtifactStore {
  const { objects, signingKey, homeUrl, clock } = options
  const underWay = new Map<string, Promise<PackedArtifact>>()
  const store: ArtifactStore = {
    async publish(what, signal) {
      const { id } = what.artifact
      const packed = underWay.get(id) ?? publish(what, options, signal)
      underWay.set(id, packed)
      return packed.finally(() => underWay.delete(id))
    },
    find: (revision_id) => readRecord(objects, revision_id),
    async addressOf({ artifact, digest }) {
      const signed = await objects.signedUrl?.(nameOf(artifact.id, digest), MAX_SIGNED_MS)
      const path = grantArtifact(signingKey, { revision_id: artifact.id, digest }, clock.now())
      const own = `${await homeUrl()}${path}`
      return { url: signed === undefined ? own : `${signed} ${own}`, digest }
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
      // The record first: nobody is told of what is about to go.
      await objects.remove(`${TOP}/${revision_id}/${RECORD}`)
      for (const name of await objects.list(`${TOP}/${revision_id}/`)) await objects.remove(name)
    },
  }
  return store
}

function nameOf(revision_id: string, digest: string): string {
  return `${TOP}/${revision_id}/${digest}.tar.gz`
}

async function publish(
  { artifact, repo_commit_sha, root }: Publication,
  { objects, unfinishedDir, clock }: ArtifactStoreOptions,
  signal: AbortSignal | undefined,
): Promise<PackedArtifact> {
  const known = await readRecord(objects, artifact.id)
  if (known) return known
  const path = join(unfinishedDir, randomUUID())
  await mkdir(unfinishedDir, { recursive: true, mode: 0o700 })
  try {
    const { digest, bytes } = await packFolder(root, path, signal)
    await objects.put(nameOf(artifact.id, digest), fileContent(path))
    const packed = { artifact, digest, bytes, repo_commit_sha, packed_at: timestamp(clock) }
    await objects.put(`${TOP}/${artifact.id}/${RECORD}`, textOf(JSON.stringify(packed)))
    return packed
  } finally {
    await rm(path, { force: true })
  }
}

async function readRecord(
  objects: ObjectStore,
  revision_id: string,
): Promise<PackedArtifact | undefined> {
  const found = await objects.get(`${TOP}/${revision_id}/${RECORD}`)
  if (!found) return undefined
  const parts: Uint8Array[] = []
  for await (const part of found.body) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString()) as PackedArtifact
}

async function* textOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

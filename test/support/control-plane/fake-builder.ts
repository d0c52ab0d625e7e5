/** A second `Builder` and `Tarballs`, in memory: a build ends when the test says so. */

import type { Artifact, FolderArtifact } from '../../../src/core/deployment/artifacts/artifact.ts'
import {
  BuildError,
  type Builder,
  type BuildRequest,
  type BuiltRevision,
  type Tarballs,
} from '../../../src/core/deployment/builds/build.ts'
import type {
  SourceSnapshot,
  SourceSnapshots,
} from '../../../src/core/deployment/sources/snapshot.ts'
import { MAX_TARBALL_BYTES } from '../../../src/core/deployment/upload.ts'
import { AppError } from '../../../src/core/errors.ts'

/** How a build ends: well and at once, when the test ends it, or with this error. */
type BuildPlan = 'built' | 'by hand' | BuildError

export class FakeBuilder implements Builder {
  /** What is done with the next builds. */
  plan: BuildPlan = 'built'
  /** What a build gives. */
  gives: (revision_id: string) => Artifact = aFolder
  /** Every build that was begun. */
  readonly requests: BuildRequest[] = []
  readonly removed: string[] = []
  /** Builds that go on, by revision. */
  readonly running = new Map<string, { end: () => void; fail: (error: Error) => void }>()
  /** Results, by revision: what lies on disk. */
  readonly built = new Map<string, BuiltRevision>()
  /** What was fetched, by revision. */
  readonly fetched = new Map<string, SourceSnapshot>()
  readonly snapshots: SourceSnapshots = {
    read: async (id) => {
      if (this.unreadableSources.has(id)) throw new Error('EIO: i/o error, read')
      return this.fetched.get(id)
    },
  }
  /** What the next builds fetch. */
  source: SourceSnapshot | undefined
  /** Revisions whose result cannot be read: the disk fails. */
  readonly unreadable = new Set<string>()
  /** The same of its source. */
  readonly unreadableSources = new Set<string>()

  async build(request: BuildRequest, signal: AbortSignal): Promise<BuiltRevision> {
    signal.throwIfAborted()
    this.requests.push(request)
    this.built.delete(request.revision_id)
    if (this.source) this.fetched.set(request.revision_id, this.source)
    if (this.plan instanceof BuildError) throw this.plan
    if (this.plan === 'by hand') await this.#untilEnded(request.revision_id, signal)
    const repo_commit_sha = request.source === 'github' ? FAKE_COMMIT : null
    const result = { artifact: this.gives(request.revision_id), repo_commit_sha }
    this.built.set(request.revision_id, result)
    return result
  }

  async find(revision_id: string): Promise<BuiltRevision | undefined> {
    if (this.unreadable.has(revision_id)) throw new Error('EIO: i/o error, read')
    return this.built.get(revision_id)
  }

  async list(): Promise<string[]> {
    return [...this.built.keys()]
  }

  async prune(revision_id: string): Promise<void> {
    this.built.delete(revision_id)
  }

  async remove(revision_id: string): Promise<void> {
    this.removed.push(revision_id)
    this.built.delete(revision_id)
  }

  async removeKept(deployment_id: string): Promise<void> {
    this.removed.push(deployment_id)
  }

  async #untilEnded(revision_id: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    this.running.set(revision_id, { end: resolve, fail: reject })
    await promise.finally(() => {
      this.running.delete(revision_id)
      signal.removeEventListener('abort', abort)
    })
  }
}

/** The commit that every branch of the fake's repositories is at. */
export const FAKE_COMMIT = 'c0ffee'.padEnd(40, '0')

/** What a build of a project gives. */
export function aFolder(id: string): FolderArtifact {
  return {
    kind: 'folder',
    id,
    node_version: null,
    config_path: 'langgraph.json',
    bundle: null,
    python: null,
  }
}

export class FakeTarballs implements Tarballs {
  readonly kept = new Map<string, Buffer>()

  async receive(object_path: string, body: AsyncIterable<Uint8Array>): Promise<number> {
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    if (bytes.length > MAX_TARBALL_BYTES) throw new AppError('too_large', 'Too large.')
    if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) throw new AppError('bad_request', 'No gzip file.')
    this.kept.set(object_path, bytes)
    return bytes.length
  }

  async use(object_path: string): Promise<boolean> {
    return this.kept.has(object_path)
  }

  async remove(object_path: string): Promise<void> {
    this.kept.delete(object_path)
  }

  async removeAll(deployment_id: string): Promise<void> {
    for (const path of this.kept.keys()) {
      if (path.startsWith(`${deployment_id}/`)) this.kept.delete(path)
    }
  }
}

/** Built folders, packed: for agent servers on other machines, and for control planes that did not build them. */
import type { StoredObject } from '../../object-store.ts'
import type { FolderArtifact } from './artifact.ts'

export interface PackedArtifact {
  artifact: FolderArtifact
  /** SHA-256 of the .tar.gz, in hex. */
  digest: string
  bytes: number
  /** As `BuiltRevision`. */
  repo_commit_sha: string | null
  packed_at: string
}

export interface ArtifactStore {
  /**
   * Packs the folder `root` and keeps it; does nothing if that was done. Throws the signal's reason, and `unavailable`
   * if it cannot be kept.
   */
  publish(what: Publication, signal?: AbortSignal): Promise<PackedArtifact>
  /** `undefined`: it was never packed, or was removed. */
  find(revision_id: string): Promise<PackedArtifact | undefined>
  /** Its address, which needs no key while it is kept. */
  addressOf(packed: PackedArtifact): Promise<ArtifactAddress>
  /**
   * Packs the folder `root` for a build that runs elsewhere, and returns its address. It is removed with the revision,
   * or by `settle`.
   */
  lend(revision_id: string, root: string, signal?: AbortSignal): Promise<ArtifactAddress>
  /**
   * Where a build that ran elsewhere is PUT, without a key: valid for `lifetimeMs`, or until `settle`. `DIGEST` in it
   * is replaced by the SHA-256 of the body.
   */
  uploadUrl(revision_id: string, lifetimeMs: number): Promise<string>
  /**
   * Keeps the body of that PUT, unless it has another digest (`bad_request`), is too large (`too_large`), or was
   * settled already (`conflict`).
   */
  receive(revision_id: string, digest: string, body: AsyncIterable<Uint8Array>): Promise<void>
  /** Makes the upload with this digest the build of the revision. `undefined`: there was none. */
  settle(built: SettledBuild): Promise<PackedArtifact | undefined>
  /** The .tar.gz itself, or a URL for the next minutes. `undefined`: none has this digest. */
  open(revision_id: string, digest: string): Promise<StoredObject | { url: string } | undefined>
  /** The revisions with a packed folder. */
  list(): Promise<string[]>
  /** No error if there is none. */
  remove(revision_id: string): Promise<void>
}

export interface Publication {
  artifact: FolderArtifact
  repo_commit_sha: string | null
  /** Absolute. */
  root: string
}

type SettledBuild = Pick<PackedArtifact, 'artifact' | 'digest' | 'repo_commit_sha'>

/** The address of a packed folder. */
interface ArtifactAddress {
  /** One or several, separated by spaces: all lead to the same, the first that answers is used. */
  url: string
  /** SHA-256 of the fetched file, in hex. */
  digest: string
}

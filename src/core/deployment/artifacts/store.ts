/**
 * Built folders, packed: what agent servers on other machines are started from, and what a control plane
 * finds that has not built it.
 */
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
   * Packs what lies in the folder `root` and keeps it; does nothing where that was done. Throws the signal's
   * reason, and `unavailable` where it cannot be kept.
   */
  publish(what: Publication, signal?: AbortSignal): Promise<PackedArtifact>
  /** `undefined`: it was never packed, or is kept no longer. */
  find(revision_id: string): Promise<PackedArtifact | undefined>
  /** Where anybody fetches it for as long as it is kept. */
  addressOf(packed: PackedArtifact): Promise<ArtifactAddress>
  /**
   * Packs what lies in the folder `root` for those who build it elsewhere, and answers where they fetch it. It goes
   * with the revision, or with `settle`.
   */
  lend(revision_id: string, root: string, signal?: AbortSignal): Promise<ArtifactAddress>
  /**
   * Where what was built elsewhere is PUT without a key until `lifetimeMs` is over, or `settle` was called. `DIGEST` in it
   * stands for the SHA-256 of the body.
   */
  uploadUrl(revision_id: string, lifetimeMs: number): Promise<string>
  /**
   * Keeps what was PUT there, unless it has another digest (`bad_request`), is too large (`too_large`), or was settled
   * already (`conflict`).
   */
  receive(revision_id: string, digest: string, body: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Says that what was received under the digest is what was built of the revision. `undefined`: nothing was.
   */
  settle(built: SettledBuild): Promise<PackedArtifact | undefined>
  /** The .tar.gz itself, or where it is read for the next minutes. `undefined`: there is none of this digest. */
  open(revision_id: string, digest: string): Promise<StoredObject | { url: string } | undefined>
  /** The revisions of which one is kept. */
  list(): Promise<string[]>
  /** Nothing there is no error. */
  remove(revision_id: string): Promise<void>
}

export interface Publication {
  artifact: FolderArtifact
  repo_commit_sha: string | null
  /** Absolute. */
  root: string
}

type SettledBuild = Pick<PackedArtifact, 'artifact' | 'digest' | 'repo_commit_sha'>

/** Where a packed folder is fetched from. */
interface ArtifactAddress {
  /** One address, or several with a space between them: each leads to the same, the first that answers will do. */
  url: string
  /** SHA-256 of what is fetched, in hex. */
  digest: string
}

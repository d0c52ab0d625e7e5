/**
 * Built folders, packed: what agent servers on other machines are started from, and what a control plane
 * finds that has not built it.
 */
import type { StoredObject } from '../object-store.ts'
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

/** Where a packed folder is fetched from. */
interface ArtifactAddress {
  /** One address, or several with a space between them: each leads to the same, the first that answers will do. */
  url: string
  /** SHA-256 of what is fetched, in hex. */
  digest: string
}

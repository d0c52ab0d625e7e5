/** The source of a revision as it was fetched: what it takes to say what a later revision changed. */

/** A commit of git. Its author is a name, without an address. */
export interface Commit {
  id: string
  author: string
  /** The first line of its message. */
  subject: string
}

export interface SourceFile {
  /** From the top of the source, with slashes. */
  path: string
  bytes: number
  /** SHA-256 of its content, in hex. */
  digest: string
  /** `null`: a binary file, a large one, a lock file, or one that may contain secrets. */
  text: string | null
}

/** The versions of each package of a lock file, by its name. */
export type LockedPackages = Record<string, string[]>

export interface SourceSnapshot {
  /** `null`: it does not come from git. */
  commit: Commit | null
  /** By path, at most some thousand. */
  files: SourceFile[]
  /** How many files there are besides. */
  left_out: number
  /** By the path of each lock file. */
  packages: Record<string, LockedPackages>
}

export interface SourceSnapshots {
  /** `undefined`: the revision is an image, was not fetched on this machine, or was made by an older version. */
  read(revision_id: string): Promise<SourceSnapshot | undefined>
}

import type { BuildRequest, Tarballs } from '../../core/deployment/builds/build.ts'
import type { StepContext } from '../step.ts'
import type { LfsDownloads } from './lfs.ts'

/** Where a source comes from and goes to. */
interface FetchPlace {
  /** The builder's folder. */
  dir: string
  tarballs: Pick<Tarballs, 'use'>
  into: string
  /** Absent: Git LFS files are not fetched. */
  downloads?: LfsDownloads | undefined
}

/**
 * Puts the source of one revision into the new folder `into` and returns its commit, or `null` if it has none. Throws
 * `BuildError`. The context's environment holds none of the project's variables, and nothing is confined.
 */
export type FetchSource = (
  request: BuildRequest,
  place: FetchPlace,
  context: StepContext,
) => Promise<string | null>

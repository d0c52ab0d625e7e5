import type { BuildRequest, Tarballs } from '../../core/deployment/builds/build.ts'
import type { StepContext } from '../step.ts'
import type { LfsDownloads } from './lfs.ts'

/** Where a source comes from and goes to. */
interface FetchPlace {
  /** The builder's folder. */
  dir: string
  tarballs: Pick<Tarballs, 'use'>
  into: string
  /** Absent: what Git LFS keeps is not fetched. */
  downloads?: LfsDownloads | undefined
}

/**
 * Puts the source of one revision into the new folder `into` and answers its commit, or `null` where
 * it has none. Throws `BuildError`; the context's environment holds none of the project's own variables,
 * and nothing is confined.
 */
export type FetchSource = (
  request: BuildRequest,
  place: FetchPlace,
  context: StepContext,
) => Promise<string | null>

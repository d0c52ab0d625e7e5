import type { BuildRequest } from '../../core/deployment/build.ts'
import type { StepContext } from '../step.ts'

/**
 * Puts the source of one revision into the new folder `into` and answers its commit, or `null` where
 * it has none. `dir`: the builder's folder. Throws `BuildError`; the context's environment holds none
 * of the project's own variables, and nothing is confined.
 */
export type FetchSource = (
  request: BuildRequest,
  place: { dir: string; into: string },
  context: StepContext,
) => Promise<string | null>

/** Builds the environment of every build command. */
import { delimiter } from 'node:path'
import type { BuilderOptions } from './options.ts'

export function buildEnvironment({
  env,
  ownNode,
}: Pick<BuilderOptions, 'env' | 'ownNode'>): Record<string, string> {
  const path = env.PATH ?? '/usr/local/bin:/usr/bin:/bin'
  return {
    ...env,
    PATH: `${ownNode}${delimiter}${path}`,
    // Stops package managers from prompting and drawing progress bars.
    CI: 'true',
    NO_COLOR: '1',
  }
}

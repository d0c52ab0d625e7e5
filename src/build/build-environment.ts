/** What every command of a build finds in its environment. */
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
    // Package managers ask no questions and draw no progress bars then.
    CI: 'true',
    NO_COLOR: '1',
  }
}

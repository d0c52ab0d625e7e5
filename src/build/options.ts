/** What a builder is made from. */
import type { Clock } from '../core/clock.ts'
import type { Sandbox } from '../core/deployment/sandbox.ts'
import type { Log } from '../core/log.ts'
import type { CheckedConfig } from './configuration.ts'
import type { Bundler } from './javascript/bundle.ts'
import type { BuildLimits } from './step.ts'

export interface BuilderOptions {
  /** The folder of `layout.ts`; absolute. The same as that of `createTarballs`. */
  dir: string
  /**
   * Validates a project's configuration before anything is installed, and again after a build
   * command: `isBuilt` says whether files that the command makes must be there.
   */
  checkConfig(configPath: string, state: { isBuilt: boolean }): Promise<CheckedConfig>
  /**
   * Looks whether what is installed is what the project can run on, after the install and again after
   * a build command, as `isBuilt` says. Throws `AppError` with a sentence for the project's author.
   */
  checkPackages(configPath: string, state: { isBuilt: boolean }): Promise<void>
  /** The folder of Runyard's own Node binary: first on the PATH of builds that ask for no other. */
  ownNode: string
  /**
   * What every command of a build finds in its environment: PATH, HOME, LANG, TMPDIR, settings of
   * proxies, certificates and registries. Nothing that a project must not read.
   */
  env: Readonly<Record<string, string>>
  /** What the project's own commands run in, and what they may read there besides. Default: none. */
  sandbox?: Sandbox
  /** Bundles a project's modules once it is built; absent: none is bundled. */
  bundler?: Bundler
  /** The npm to run. Default: the first on the PATH. */
  npm?: string
  limits?: Partial<BuildLimits>
  clock: Clock
  log: Log
}

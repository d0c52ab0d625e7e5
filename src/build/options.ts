/** What a builder is made from. */
import type { Clock } from '../core/clock.ts'
import type { ArtifactStore } from '../core/deployment/artifacts/store.ts'
import type { Tarballs } from '../core/deployment/builds/build.ts'
import type { BuildJobs } from '../core/deployment/builds/job.ts'
import type { BuildContainers } from '../core/deployment/builds/project-commands.ts'
import type { Sandbox } from '../core/deployment/sandbox.ts'
import type { Log } from '../core/log.ts'
import type { CheckedConfig } from './configuration.ts'
import type { Bundler } from './javascript/bundle.ts'
import type { ImageSources } from './sources/image.ts'
import type { LfsDownloads } from './sources/lfs.ts'
import type { BuildLimits } from './step.ts'

/** Where builds run as Jobs, and what carries folders there and back. */
export interface Elsewhere {
  jobs: BuildJobs
  artifacts: Pick<ArtifactStore, 'remove' | 'lend' | 'uploadUrl' | 'settle'>
}

export interface BuilderOptions {
  /** The folder of `layout.ts`; absolute. The same as that of `createTarballs`. */
  dir: string
  /** Where the tarballs lie that revisions are built from. */
  tarballs: Pick<Tarballs, 'use'>
  /**
   * Validates a project's configuration before anything is installed, and again after a build
   * command: `isBuilt` says whether files that the command makes must be there. No path may leave `border`, the top of the
   * source.
   */
  checkConfig(
    configPath: string,
    place: { isBuilt: boolean; border: string },
  ): Promise<CheckedConfig>
  /**
   * Looks whether what is installed is what the project can run on, after the install and again after
   * a build command, as `isBuilt` says. Throws `AppError` with a sentence for the project's author.
   */
  checkPackages(
    configPath: string,
    place: { isBuilt: boolean; border: string },
  ): Promise<readonly string[]>
  /** How files that Git LFS keeps are fetched; absent: they are not. */
  downloads?: LfsDownloads
  /** The folder of Runyard's own Node binary: first on the PATH of builds that ask for no other. */
  ownNode: string
  /**
   * What every command of a build finds in its environment: PATH, HOME, LANG, TMPDIR, settings of
   * proxies, certificates and registries. Nothing that a project must not read.
   */
  env: Readonly<Record<string, string>>
  /** What the project's own commands run in, and what they may read there besides. Default: none. */
  sandbox?: Sandbox
  /** Why no image of a project's own can be built, as a sentence for its author; absent: it is passed over. */
  imageRefusal?: string
  /** What the project's own commands run in instead of the sandbox; absent: they are processes of this machine. */
  containers?: BuildContainers
  /**
   * Where projects are built instead of on this machine: each folder that is answered is published there, and is not
   * here. Absent: they are built here.
   */
  elsewhere?: Elsewhere
  /** Where images are asked for; absent: no source may be one. */
  images?: ImageSources
  /** Bundles a project's modules once it is built; absent: none is bundled. */
  bundler?: Bundler
  /** The npm to run. Default: the first on the PATH. */
  npm?: string
  /** The uv to run, where it is new enough. Default: the first on the PATH. */
  uv?: string
  limits?: Partial<BuildLimits>
  clock: Clock
  log: Log
}

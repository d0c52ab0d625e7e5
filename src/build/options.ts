/** The options of a builder. */
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

/** Runs builds as Jobs, and carries folders there and back. */
export interface Elsewhere {
  jobs: BuildJobs
  artifacts: Pick<ArtifactStore, 'remove' | 'lend' | 'uploadUrl' | 'settle'>
}

export interface BuilderOptions {
  /** The folder of `layout.ts`; absolute. The same as that of `createTarballs`. */
  dir: string
  /** The tarballs that revisions are built from. */
  tarballs: Pick<Tarballs, 'use'>
  /**
   * Validates a project's configuration before anything is installed, and again after a build
   * command: `isBuilt` says whether files that the command makes must be there. No path may leave `border`, the top of
   * the source.
   */
  checkConfig(
    configPath: string,
    place: { isBuilt: boolean; border: string },
  ): Promise<CheckedConfig>
  /**
   * Checks that the project can run on the installed packages, after the install and again after a build command, as
   * `isBuilt` says. Throws `AppError` with a sentence for the project's author.
   */
  checkPackages(
    configPath: string,
    place: { isBuilt: boolean; border: string },
  ): Promise<readonly string[]>
  /** Fetches Git LFS files. Absent: they are not fetched. */
  downloads?: LfsDownloads
  /** The folder of Runyard's own Node binary: first on the PATH of builds that ask for no other. */
  ownNode: string
  /**
   * The environment of every build command: PATH, HOME, LANG, TMPDIR, settings of proxies, certificates and registries.
   * Nothing that a project must not read.
   */
  env: Readonly<Record<string, string>>
  /** The sandbox of the project's own commands, with what they may read besides. Default: none. */
  sandbox?: Sandbox
  /** Why projects cannot have an image of their own, as a sentence for the author. Absent: the settings are ignored. */
  imageRefusal?: string
  /** Runs the project's own commands instead of the sandbox. Absent: they are processes of this machine. */
  containers?: BuildContainers | undefined
  /**
   * Builds projects elsewhere instead of on this machine: each resulting folder is published, and does not exist here.
   * Absent: they are built here.
   */
  elsewhere?: Elsewhere | undefined
  /** Looks up images. Absent: no source may be an image. */
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

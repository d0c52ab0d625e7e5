/** The builder: a revision's source becomes a folder that an agent server can start from. */
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { delimiter, dirname, relative } from 'node:path'
import { type Clock, timestamp } from '../core/clock.ts'
import type { FolderArtifact } from '../core/deployment/artifact.ts'
import {
  BuildError,
  type Builder,
  type BuildRequest,
  type BuiltRevision,
} from '../core/deployment/build.ts'
import { projectSecrets } from '../core/deployment/deploy-key.ts'
import type { Secret } from '../core/deployment/revision.ts'
import { noSandbox, type Sandbox } from '../core/deployment/sandbox.ts'
import { AppError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { type BuildLog, openBuildLog } from './build-log.ts'
import { type Bundler, bundle } from './bundle.ts'
import { type CheckedConfig, findConfiguration } from './configuration.ts'
import { installProject } from './install.ts'
import { removeInstalls } from './install-cache.ts'
import { homeFolder, type RevisionFolder, revisionFolder, revisionsFolder } from './layout.ts'
import { isWhole, localProject } from './local-project.ts'
import { chooseNode, installNode, nodePath } from './project-node.ts'
import { fetchSource } from './sources/table.ts'
import { type BuildLimits, DEFAULT_LIMITS, runStep, type StepContext } from './step.ts'

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

/** What `built.json` holds. Builds of older versions have neither `bundle` nor `language`. */
interface BuiltRecord extends Omit<FolderArtifact, 'kind' | 'id' | 'bundle' | 'language'> {
  bundle?: FolderArtifact['bundle']
  language?: FolderArtifact['language']
  repo_commit_sha: string | null
  built_at: string
}

export function createBuilder(options: BuilderOptions): Builder {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const base = buildEnvironment(options)
  return {
    async build(request, signal) {
      const folder = revisionFolder(options.dir, request.revision_id)
      signal.throwIfAborted()
      await rm(folder.root, { recursive: true, force: true })
      await mkdir(folder.root, { recursive: true, mode: 0o700 })
      const log = openBuildLog(folder.log, options.clock, options.log)
      const context = { log, signal, limits, env: base }
      try {
        return await buildInto(folder, request, options, context)
      } catch (error) {
        if (!signal.aborted) throw explained(error, log)
        log.line('The build was ended before it was done.')
        throw signal.reason
      } finally {
        await log.close()
      }
    },
    async find(revision_id) {
      return findBuilt(options.dir, revision_id)
    },
    async list() {
      const ids = await readdir(revisionsFolder(options.dir)).catch(() => [])
      return ids.filter((id) => existsSync(revisionFolder(options.dir, id).source))
    },
    async prune(revision_id) {
      const folder = revisionFolder(options.dir, revision_id)
      // First what says that it is there.
      await rm(folder.built, { force: true })
      await rm(folder.source, { recursive: true, force: true })
    },
    async remove(revision_id) {
      await rm(revisionFolder(options.dir, revision_id).root, { recursive: true, force: true })
    },
    async removeKept(deployment_id) {
      await removeInstalls(options.dir, deployment_id)
      await rm(homeFolder(options.dir, deployment_id), { recursive: true, force: true })
    },
  }
}

async function buildInto(
  folder: RevisionFolder,
  request: BuildRequest,
  options: BuilderOptions,
  context: StepContext,
): Promise<BuiltRevision> {
  // The project's variables are for its own commands: git could be led astray by them.
  const place = { dir: options.dir, into: folder.source }
  const repo_commit_sha = await fetchSource(request, place, context)
  const config = request.source_revision_config.langgraph_config_path
  const find = (state: { isBuilt: boolean }) =>
    findConfiguration(folder.source, config, (path) => options.checkConfig(path, state))
  const { install_command, build_command } = request.source_config
  const hasBuildCommand = build_command !== null
  const found = await find({ isBuilt: !hasBuildCommand })
  const { configPath } = found
  const npm = options.npm ?? 'npm'
  const node_version = chooseNode(found.node_version, (line) => context.log.line(line))
  if (node_version !== null) await installNode(node_version, options.dir, npm, context)
  const node = node_version === null ? null : nodePath(options.dir, node_version)
  const sandbox = options.sandbox ?? noSandbox
  await sandbox.handOver(folder.source)
  const confined = { ...context, confine: confinement(sandbox, folder, request, options, node) }
  const own = {
    ...confined,
    env: withSecrets(withNode(context.env, node), projectSecrets(request.secrets)),
  }
  await installProject(
    {
      dir: options.dir,
      deployment_id: request.deployment_id,
      source: folder.source,
      configPath,
      install_command,
      npm,
      node: node_version ?? process.version,
      isKept: !sandbox.hasOwnUser,
    },
    own,
  )
  await checkPackages(options, configPath, { isBuilt: !hasBuildCommand })
  if (build_command) await runBuildCommand(build_command, dirname(configPath), own)
  if (hasBuildCommand) {
    await find({ isBuilt: true })
    await checkPackages(options, configPath, { isBuilt: true })
  }
  const bundlePath = options.bundler && (await bundle(options.bundler, configPath, confined))
  context.signal.throwIfAborted()
  context.log.line('The build has ended well.')
  const made = {
    language: 'javascript',
    node_version,
    config_path: relative(folder.source, configPath),
    bundle: bundlePath === undefined ? null : relative(folder.source, bundlePath),
  } as const
  await writeBuilt(folder, { ...made, repo_commit_sha, built_at: timestamp(options.clock) })
  return { artifact: { kind: 'folder', id: request.revision_id, ...made }, repo_commit_sha }
}

/** A project's commands have its source, a home of its deployment's, and the Node that it asked for. */
function confinement(
  sandbox: Sandbox,
  { source }: RevisionFolder,
  { deployment_id }: BuildRequest,
  { dir }: BuilderOptions,
  node: string | null,
): NonNullable<StepContext['confine']> {
  const readable = node === null ? [] : [dirname(dirname(node))]
  const writable = [source, homeFolder(dir, deployment_id)]
  return (command, at) => sandbox.confine(command, { ...at, readable, writable })
}

async function checkPackages(
  options: BuilderOptions,
  configPath: string,
  state: { isBuilt: boolean },
): Promise<void> {
  try {
    await options.checkPackages(configPath, state)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new BuildError('install', error.message, { cause: error })
  }
}

async function runBuildCommand(command: string, cwd: string, context: StepContext): Promise<void> {
  const at = { cwd, limitMs: context.limits.buildMs, title: command }
  await runStep('build', ['/bin/sh', '-c', command], at, context)
}

function buildEnvironment(options: BuilderOptions): Record<string, string> {
  const path = options.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'
  return {
    ...options.env,
    PATH: `${options.ownNode}${delimiter}${path}`,
    // Package managers ask no questions and draw no progress bars then.
    CI: 'true',
    NO_COLOR: '1',
  }
}

/** The project's Node comes before Runyard's own. */
function withNode(env: StepContext['env'], node: string | null): StepContext['env'] {
  return node === null ? env : { ...env, PATH: `${dirname(node)}${delimiter}${env.PATH}` }
}

/** A project may set any variable but the PATH, which its Node is found by. */
function withSecrets(env: StepContext['env'], secrets: Secret[]): Record<string, string> {
  const own = secrets.filter(({ name }) => name !== 'PATH')
  return { ...env, ...Object.fromEntries(own.map(({ name, value }) => [name, value])) }
}

async function writeBuilt(folder: RevisionFolder, record: BuiltRecord): Promise<void> {
  const unfinished = `${folder.built}.part`
  const file = await open(unfinished, 'w', 0o600)
  await file
    .writeFile(`${JSON.stringify(record)}\n`)
    .then(() => file.sync())
    .finally(() => file.close())
  await rename(unfinished, folder.built)
}

async function findBuilt(dir: string, id: string): Promise<BuiltRevision | undefined> {
  const { built } = revisionFolder(dir, id)
  const text = await readFile(built, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const record = JSON.parse(text) as BuiltRecord
  const {
    repo_commit_sha,
    node_version,
    config_path,
    bundle = null,
    language = 'javascript',
  } = record
  const artifact = { kind: 'folder', id, language, node_version, config_path, bundle } as const
  return (await isWhole(localProject(dir, artifact))) ? { artifact, repo_commit_sha } : undefined
}

/** Every refusal of a build names its step and shows the log's end. */
function explained(error: unknown, log: BuildLog): unknown {
  if (error instanceof BuildError) log.line(`The step ${error.step} failed: ${error.message}`)
  if (error instanceof AppError) return new BuildError('fetch', error.message, { cause: error })
  return error
}

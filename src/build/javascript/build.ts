/** How a project in JavaScript or TypeScript becomes a folder that runs. */
import { delimiter, dirname, relative } from 'node:path'
import type { FolderArtifact } from '../../core/deployment/artifact.ts'
import { BuildError, type BuildRequest } from '../../core/deployment/build.ts'
import { projectSecrets } from '../../core/deployment/deploy-key.ts'
import { noSandbox } from '../../core/deployment/sandbox.ts'
import { AppError } from '../../core/errors.ts'
import { type FoundConfiguration, findConfiguration } from '../configuration.ts'
import { homeFolder } from '../layout.ts'
import type { BuilderOptions } from '../options.ts'
import { runStep, type StepContext } from '../step.ts'
import { bundle } from './bundle.ts'
import { installProject } from './install.ts'
import { chooseNode, installNode, nodePath } from './project-node.ts'

/** A project on its way from its source to what runs. */
interface Work {
  request: BuildRequest
  /** The folder that its source lies in, and stays in; absolute. */
  source: string
  options: BuilderOptions
}

/**
 * Checks the project, brings its Node along, installs, builds and bundles it. `context` has none of
 * the project's variables. Throws `BuildError`.
 */
export async function buildJavascript(
  work: Work,
  context: StepContext,
): Promise<Omit<FolderArtifact, 'kind' | 'id'>> {
  const { request, source, options } = work
  const { build_command } = request.source_config
  const isBuilt = build_command === null
  const { configPath, node_version: asked } = await findChecked(work, { isBuilt })
  const node_version = await bringNode(asked, options, context)
  const node = node_version === null ? null : nodePath(options.dir, node_version)
  await (options.sandbox ?? noSandbox).handOver(source)
  const confined = { ...context, confine: confinement(work, node) }
  const own = { ...confined, env: ownEnvironment(request, context.env, node) }
  await install(work, { configPath, node_version }, own)
  await checkPackages(options, configPath, { isBuilt })
  if (build_command) await runBuildCommand(build_command, dirname(configPath), own)
  if (!isBuilt) {
    await findChecked(work, { isBuilt: true })
    await checkPackages(options, configPath, { isBuilt: true })
  }
  const bundlePath = options.bundler && (await bundle(options.bundler, configPath, confined))
  return {
    language: 'javascript',
    node_version,
    config_path: relative(source, configPath),
    bundle: bundlePath === undefined ? null : relative(source, bundlePath),
  }
}

function findChecked(
  { request, source, options }: Work,
  state: { isBuilt: boolean },
): Promise<FoundConfiguration> {
  const { langgraph_config_path } = request.source_revision_config
  const check = (path: string) => options.checkConfig(path, state)
  return findConfiguration(source, langgraph_config_path, check)
}

/** Answers the exact version; `null`: Runyard's own. */
async function bringNode(
  asked: string | undefined,
  { dir, npm = 'npm' }: BuilderOptions,
  context: StepContext,
): Promise<string | null> {
  const version = chooseNode(asked, (line) => context.log.line(line))
  if (version !== null) await installNode(version, dir, npm, context)
  return version
}

/** A project's commands have its source, a home of its deployment's, and the Node that it asked for. */
function confinement(
  { request, source, options }: Work,
  node: string | null,
): NonNullable<StepContext['confine']> {
  const { dir, sandbox = noSandbox } = options
  const readable = node === null ? [] : [dirname(dirname(node))]
  const writable = [source, homeFolder(dir, request.deployment_id)]
  return (command, at) => sandbox.confine(command, { ...at, readable, writable })
}

/**
 * The project's Node comes before Runyard's own. A project may set any variable but the PATH, which
 * its Node is found by.
 */
function ownEnvironment(
  { secrets }: BuildRequest,
  env: StepContext['env'],
  node: string | null,
): Record<string, string> {
  const own = projectSecrets(secrets).filter(({ name }) => name !== 'PATH')
  return {
    ...env,
    ...(node !== null && { PATH: `${dirname(node)}${delimiter}${env.PATH}` }),
    ...Object.fromEntries(own.map(({ name, value }) => [name, value])),
  }
}

function install(
  { request, source, options }: Work,
  { configPath, node_version }: { configPath: string; node_version: string | null },
  context: StepContext,
): Promise<void> {
  const { dir, npm = 'npm', sandbox = noSandbox } = options
  const { deployment_id, source_config } = request
  const { install_command } = source_config
  const node = node_version ?? process.version
  const isKept = !sandbox.hasOwnUser
  const place = { dir, deployment_id, source, configPath }
  return installProject({ ...place, install_command, npm, node, isKept }, context)
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

/** Builds a project, in any language, into a folder that runs. */
import { delimiter, dirname, relative } from 'node:path'
import type { FolderArtifact } from '../core/deployment/artifacts/artifact.ts'
import { BuildError, type BuildRequest } from '../core/deployment/builds/build.ts'
import type { ProjectCommands } from '../core/deployment/builds/project-commands.ts'
import { projectSecrets } from '../core/deployment/deploy-key.ts'
import { noSandbox, type Sandbox } from '../core/deployment/sandbox.ts'
import { AppError } from '../core/errors.ts'
import { variableNotesOf } from '../project/notes.ts'
import { runCommand } from './command.ts'
import { type FoundConfiguration, findConfiguration } from './configuration.ts'
import { type Bundling, openBundling } from './javascript/bundle.ts'
import { readSchemasLater } from './javascript/graph-schemas.ts'
import { installProject } from './javascript/install.ts'
import { chooseNode, installNode, nodePath } from './javascript/project-node.ts'
import { homeFolder, pythonsFolder } from './layout.ts'
import type { BuilderOptions } from './options.ts'
import { buildProjectImage, publishImage } from './project-image.ts'
import { type PreparedPython, preparePython, pythonFolders } from './python/build.ts'
import { checkOwnModules } from './python/own-modules.ts'
import { runStep, type StepContext } from './step.ts'

/** A project that is being built. */
interface Project {
  request: BuildRequest
  /** The folder that its source lies in, and stays in; absolute. */
  source: string
  options: BuilderOptions
}

interface Work extends Project {
  /** Runs the project's commands. */
  commands: ProjectCommands
  /** Installs Pythons, which all deployments share; never in the project's own image. */
  ownCommands: ProjectCommands
  /** The project's own image. */
  image: string | undefined
}

/**
 * Checks the project, brings its Node and its Python along, installs, builds and bundles it. `context` has
 * none of the project's variables. Throws `BuildError`.
 */
export async function buildProject(
  project: Project,
  context: StepContext,
): Promise<Omit<FolderArtifact, 'kind' | 'id'>> {
  const { request } = project
  const isBuilt = request.source_config.build_command === null
  const config = await findChecked(project, { isBuilt })
  for (const note of config.notes) context.log.line(note)
  for (const note of variableNotesOf(request.secrets.map(({ name }) => name))) {
    context.log.line(note)
  }
  const image = await buildProjectImage(config, project, context)
  const commands = await openCommands(project, image, context)
  try {
    const ownCommands =
      image === undefined ? commands : await openCommands(project, undefined, context)
    return await buildWith({ ...project, commands, ownCommands, image }, config, context)
  } finally {
    await commands.close()
  }
}

async function openCommands(
  { request, options: { containers, sandbox = noSandbox } }: Project,
  image: string | undefined,
  { signal, log }: StepContext,
): Promise<ProjectCommands> {
  if (!containers) return createProcessCommands(sandbox)
  const { revision_id, deployment_id } = request
  const build = { revision_id, deployment_id, signal, say: (line: string) => log.line(line) }
  return containers.open({ ...build, ...(image !== undefined && { image }) })
}

async function buildWith(
  work: Work,
  config: FoundConfiguration,
  context: StepContext,
): Promise<Omit<FolderArtifact, 'kind' | 'id'>> {
  const { request, source, options, commands, image } = work
  const { build_command } = request.source_config
  const isBuilt = build_command === null
  const node_version = config.needsNode ? await bringNode(config, options, context) : null
  const node = node_version === null ? null : nodePath(options.dir, node_version)
  await commands.handOver(source)
  const env = commands.environment(context.env)
  const confined = { ...context, env, run: confinement(work, node) }
  const base = { ...confined, env: ownEnvironment(request, env, node) }
  const python = config.python && (await bringPython(work, config, { context, confined: base }))
  const own = python ? { ...base, env: { ...base.env, ...python.env } } : base
  const bundler = config.hasJsModules ? options.bundler : undefined
  const bundling = bundler && openBundling(bundler, config.configPath, confined)
  // Starts early only if the install is all that precedes, so that the process does not wait for long.
  const begun = isBuilt && !python ? bundling : undefined
  let bundlePath: string | undefined
  try {
    await install(work, { config, node_version, python, bundling: begun }, own)
    await checkPackages(work, config, { isBuilt, python, context })
    if (build_command) await runBuildCommand(build_command, dirname(config.configPath), own)
    if (!isBuilt) {
      await findChecked(work, { isBuilt: true })
      await checkPackages(work, config, { isBuilt: true, python, context })
    }
    if (python) await checkOwnModules(source, config.pythonFiles ?? [], own)
    bundlePath = await bundling?.finish()
  } finally {
    await bundling?.abandon()
  }
  if (bundler?.schemas) {
    const { revision_id } = request
    const { configPath } = config
    readSchemasLater(bundler.schemas, { revision_id, configPath, log: options.log }, confined)
  }
  return {
    node_version,
    config_path: relative(source, config.configPath),
    bundle: bundlePath === undefined ? null : relative(source, bundlePath),
    python: python ? relative(source, python.environment) : null,
    ...(await publishImage(image, work, context)),
  }
}

function findChecked(
  { request, source, options }: Project,
  state: { isBuilt: boolean },
): Promise<FoundConfiguration> {
  const { langgraph_config_path } = request.source_revision_config
  const check = (path: string) => options.checkConfig(path, { ...state, border: source })
  return findConfiguration(source, langgraph_config_path, check)
}

/** Returns the exact version; `null`: Runyard's own. */
async function bringNode(
  { node_version: asked }: FoundConfiguration,
  { dir, npm = 'npm' }: BuilderOptions,
  context: StepContext,
): Promise<string | null> {
  const version = chooseNode(asked, (line) => context.log.line(line))
  if (version !== null) await installNode(version, dir, npm, context)
  return version
}

function bringPython(
  { request, source, options, commands, ownCommands, image }: Work,
  { python: settings, configPath }: FoundConfiguration,
  { context, confined }: { context: StepContext; confined: StepContext },
): Promise<PreparedPython> | undefined {
  const { dir, uv = 'uv', containers } = options
  const place = { dir, ...ownerOf(request), source, root: dirname(configPath) }
  const isKept = !commands.hasOwnUser
  const seesSystem = image !== undefined
  const contexts = {
    context: containers ? inContainer(context, ownCommands, dir) : context,
    confined,
  }
  return settings && preparePython({ settings, uv, isKept, seesSystem, ...place }, contexts)
}

function ownerOf({ deployment_id, workspace_id }: BuildRequest) {
  return { deployment_id, ...(workspace_id !== undefined && { workspace_id }) }
}

/**
 * If commands run in containers, uv installs Pythons from within one of Runyard's image. A project's own image contains
 * the project's programs, and what they wrote would run in every deployment.
 */
function inContainer(context: StepContext, commands: ProjectCommands, dir: string): StepContext {
  const view = { readable: [], writable: [pythonsFolder(dir)] }
  return {
    ...context,
    env: commands.environment(context.env),
    run: (command, at, terms) => commands.run(command, { ...view, ...at }, terms),
  }
}

/** A project's commands get its source, its deployment's home, and the programs that it asked for. */
function confinement(
  { request, source, options: { dir }, commands }: Work,
  node: string | null,
): NonNullable<StepContext['run']> {
  const readable = [...(node === null ? [] : [dirname(dirname(node))]), ...pythonFolders(dir)]
  const writable = [source, homeFolder(dir, request.deployment_id)]
  return (command, at, terms) => commands.run(command, { ...at, readable, writable }, terms)
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

interface Installing {
  config: FoundConfiguration
  node_version: string | null
  python: PreparedPython | undefined
  /** Starts while packages of an earlier build are restored. */
  bundling: Bundling | undefined
}

/**
 * Runs the project's `install_command` at the top of its source, or else the installer of each language. An
 * `install_command` always runs, since its inputs are unknown.
 */
async function install(
  { request, source, options, commands }: Work,
  { config, node_version, python, bundling }: Installing,
  context: StepContext,
): Promise<void> {
  const { install_command } = request.source_config
  if (install_command) {
    await python?.makeEmpty(context)
    const at = { cwd: source, limitMs: context.limits.installMs, title: install_command }
    await runStep('install', ['/bin/sh', '-c', install_command], at, context)
    return
  }
  if (config.needsNode) {
    const { dir, npm = 'npm' } = options
    const node = node_version ?? process.version
    const place = {
      dir,
      ...ownerOf(request),
      source,
      configPath: config.configPath,
      hasJsModules: config.hasJsModules,
    }
    const kept = { isKept: !commands.hasOwnUser, ...(bundling && { onFound: bundling.begin }) }
    await installProject({ ...place, ...kept, npm, node }, context)
  }
  await python?.install(context)
}

async function checkPackages(
  { options, source }: Work,
  { configPath }: FoundConfiguration,
  at: { isBuilt: boolean; python: PreparedPython | undefined; context: StepContext },
): Promise<void> {
  try {
    const warnings = await options.checkPackages(configPath, {
      isBuilt: at.isBuilt,
      border: source,
    })
    // A build command may still change what is installed.
    if (at.isBuilt) for (const warning of warnings) at.context.log.line(`Warning: ${warning}`)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new BuildError('install', error.message, { cause: error })
  }
  await at.python?.check({ isBuilt: at.isBuilt }, at.context)
}

async function runBuildCommand(command: string, cwd: string, context: StepContext): Promise<void> {
  const at = { cwd, limitMs: context.limits.buildMs, title: command }
  await runStep('build', ['/bin/sh', '-c', command], at, context)
}

/** The commands of a project as processes of this machine, in its sandbox. */
export function createProcessCommands(sandbox: Sandbox): ProjectCommands {
  return {
    hasOwnUser: sandbox.hasOwnUser,
    handOver: (folder) => sandbox.handOver(folder),
    environment: (env) => ({ ...env }),
    run(command, view, terms) {
      const confined = sandbox.confine(command, view)
      const { uid, gid, input } = confined
      return runCommand(confined.command, {
        cwd: view.cwd,
        // A project cannot choose the PATH, by which the sandbox's own program is found.
        env: { PATH: view.variables.PATH ?? '', ...confined.env },
        ...(input !== undefined && { input }),
        ...(uid !== undefined && { uid }),
        ...(gid !== undefined && { gid }),
        ...terms,
      })
    },
    close: async () => {},
  }
}

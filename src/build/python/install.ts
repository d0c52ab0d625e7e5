/** Makes the environment of a project's Python, or reuses that of an earlier build or another deployment. */
import { rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { BuildError } from '../../core/deployment/builds/build.ts'
import { OLDEST_LANGGRAPH } from '../../core/deployment/builds/langgraph.ts'
import { isOlder } from '../../core/package-version.ts'
import type { PythonSettings } from '../../project/python/settings.ts'
import { type InstallPlace, keepInstall, restoreInstall } from '../install-cache.ts'
import { environmentPython, environmentsFolder } from '../layout.ts'
import { ask, runStep, type StepContext } from '../step.ts'
import { environmentKey } from './environment-key.ts'
import { installedPackages } from './installed-packages.ts'
import type { FoundPython } from './interpreter.ts'
import { type LockedProject, type PythonPlan, planPython } from './plan.ts'
import { checkRequiredLangGraph } from './required-version.ts'
import type { Uv } from './uv.ts'

/** The environment's folder in the source. */
export const ENVIRONMENT = '.venv'

/** The inputs of an install. */
interface PythonInstall {
  settings: PythonSettings
  uv: Uv
  python: FoundPython
  /** The builder's folder: environments are kept in it. */
  dir: string
  deployment_id: string
  /** Its deployments share packages; absent: none are shared. */
  workspace_id?: string
  /** The source's top folder. */
  source: string
  /** The folder of `langgraph.json`. */
  root: string
  /** Whether packages are kept from build to build. */
  isKept: boolean
  /** Whether the environment sees packages installed beside its Python. */
  seesSystem: boolean
}

/**
 * Installs what `uv.lock`, `pyproject.toml`, `requirements.txt` and `dependencies` name. The project's own folders are
 * installed in place, so that their code is that of the revision. Locked packages come from an earlier build, or one of
 * another deployment of the workspace, if it had the same. A `uv.lock` that does not fit is ignored with a warning,
 * unless `source` asks for it. Throws `BuildError('install')`.
 */
export async function installPython(install: PythonInstall, context: StepContext): Promise<void> {
  const { settings } = install
  const plan = await planPython(settings, install, { isLockUsed: true })
  const { locked } = plan
  if (!locked || settings.source) return installPlan(plan, install, context)
  try {
    await installPlan(plan, install, context)
  } catch (error) {
    if (!(error instanceof BuildError) || context.signal.aborted) throw error
    if (await isLockFitting(locked, install, context)) throw error
    context.log.line(LOCK_PASSED_OVER)
    const other = await planPython(settings, install, { isLockUsed: false })
    await installPlan(other, install, context)
  }
}

const LOCK_PASSED_OVER =
  'Warning: uv.lock does not fit the project or this machine, and is passed over: what pyproject.toml asks for is installed, ' +
  'in the newest versions. Run `uv lock` and commit the file; "source": {"kind": "uv"} in langgraph.json makes it a must.'

/** A dry run, which fetches nothing: a broken package does not make the lock file unfit. */
async function isLockFitting(
  { folder, package: name }: LockedProject,
  { uv }: PythonInstall,
  context: StepContext,
): Promise<boolean> {
  const args = ['sync', '--locked', '--dry-run', ...(name ? ['--package', name] : [])]
  const at = { cwd: folder, limitMs: context.limits.installMs }
  const { code } = await ask([uv.command, ...args], at, context)
  return code === 0
}

async function installPlan(
  plan: PythonPlan,
  install: PythonInstall,
  context: StepContext,
): Promise<void> {
  const { source } = install
  await checkRequiredLangGraph(plan, source)
  const isKnown = await installElsewhere(plan, install, context)
  if (plan.locked) await syncOwn(plan.locked, { isKnown }, install, context)
  if (!isAllLocked(plan)) await installAll(plan, install, context)
  await freeOfPaths(source, context)
}

/** Installs what is not the project's own. Returns whether it came from an earlier build of this deployment. */
async function installElsewhere(
  plan: PythonPlan,
  install: PythonInstall,
  context: StepContext,
): Promise<boolean> {
  const { settings, uv, python, source } = install
  const { env } = context
  const surroundings = { uv: uv.version, installer: settings.installer, python, env }
  const identity = await environmentKey(plan, surroundings)
  const place = 'key' in identity && install.isKept ? placeOf(install, identity) : undefined
  // A `.venv` in the project's source is not ours.
  await rm(join(source, ENVIRONMENT), { recursive: true, force: true })
  const restored = place && (await restoreInstall(place, source, context))
  if (restored) return restored === 'kept'
  await makeEnvironment(install, context, { hasPip: settings.installer === 'pip' })
  await installLocked(plan, install, context)
  if (place) await keepInstall(place, source, context)
  if ('reason' in identity) {
    context.log.line(`The packages are not kept for the next build: ${identity.reason}.`)
  }
  return false
}

/** Makes an empty environment in place of any in the project's source. */
export async function makeEnvironment(
  { uv, python, source, root, seesSystem }: PythonInstall,
  context: StepContext,
  { hasPip }: { hasPip: boolean },
): Promise<void> {
  const folder = join(source, ENVIRONMENT)
  await rm(folder, { recursive: true, force: true })
  const seed = [...(hasPip ? ['--seed'] : []), ...(seesSystem ? ['--system-site-packages'] : [])]
  const at = {
    cwd: root,
    limitMs: context.limits.installMs,
    title: `uv venv --python ${python.version}`,
  }
  const options = ['--quiet', '--relocatable', '--no-project', '--python', python.path, ...seed]
  await runStep('install', [uv.command, 'venv', ...options, folder], at, context)
}

/** What an image has installed beside its Python belongs to one deployment: then nothing is shared. */
function placeOf(
  { dir, deployment_id, workspace_id, seesSystem }: PythonInstall,
  { key, isShareable }: { key: string; isShareable: boolean },
): InstallPlace {
  const all = environmentsFolder(dir, deployment_id)
  const isShared = workspace_id !== undefined && isShareable && !seesSystem
  return {
    ...{ all, key, packagesIn: async (folder: string) => [join(folder, ENVIRONMENT)] },
    ...(isShared && { sharing: { dir, workspace_id } }),
  }
}

/** Installs the locked packages that are not the project's own. */
async function installLocked(
  plan: PythonPlan,
  install: PythonInstall,
  context: StepContext,
): Promise<void> {
  if (plan.locked) {
    const others = ['--no-install-workspace', '--no-install-local', ...compiling(context)]
    await sync(plan.locked, others, install, context)
  } else if (isAllLocked(plan)) {
    await installAll(plan, install, context)
  }
}

/** Whether there are only requirement files, which are installed like a lock file. */
function isAllLocked({ locked, editables, requirements }: PythonPlan): boolean {
  return !locked && editables.length === 0 && requirements.length === 0
}

/**
 * Adds the project's own packages to those of its lock file. What an earlier build of this deployment has fetched to
 * build them is available offline (`isKnown`). If it is missing (nothing has changed then), the index is asked.
 */
async function syncOwn(
  locked: LockedProject,
  { isKnown }: { isKnown: boolean },
  install: PythonInstall,
  context: StepContext,
): Promise<void> {
  if (isKnown) {
    const offline = { ...context, env: { ...context.env, UV_OFFLINE: '1' } }
    try {
      return await sync(locked, [], install, offline)
    } catch (error) {
      if (!(error instanceof BuildError) || context.signal.aborted) throw error
    }
  }
  await sync(locked, [], install, context)
}

async function sync(
  { folder, package: name }: LockedProject,
  more: string[],
  { uv, source }: PythonInstall,
  context: StepContext,
): Promise<void> {
  const args = ['sync', '--locked', ...(name ? ['--package', name] : []), ...more]
  const at = {
    cwd: folder,
    limitMs: context.limits.installMs,
    title: titleOf(['uv', ...args], source),
  }
  await runStep('install', [uv.command, ...args], at, context)
}

async function installAll(
  { requirementFiles, editables, requirements }: PythonPlan,
  { settings, uv, source, root }: PythonInstall,
  context: StepContext,
): Promise<void> {
  const what = [
    ...requirementFiles.flatMap((file) => ['--requirement', file]),
    ...editables.flatMap((folder) => ['--editable', folder]),
    ...requirements,
  ]
  if (what.length === 0) return
  const python = environmentPython(join(source, ENVIRONMENT))
  const isPip = settings.installer === 'pip'
  const [first, ...rest] = isPip
    ? ([python, '-m', 'pip', 'install', '--no-input', ...what] as const)
    : ([uv.command, 'pip', 'install', '--python', python, ...compiling(context), ...what] as const)
  const title = titleOf([isPip ? 'pip' : 'uv pip', 'install', ...what], source)
  const at = { cwd: root, limitMs: context.limits.installMs, title }
  await runStep('install', [first, ...rest], at, context)
}

/** Compiled modules start sooner. The project's own `UV_COMPILE_BYTECODE` takes precedence. */
function compiling({ env }: StepContext): string[] {
  return env.UV_COMPILE_BYTECODE === undefined ? ['--compile-bytecode'] : []
}

/** With paths from the top of the source. */
function titleOf(words: string[], source: string): string {
  const short = (word: string) => (word.startsWith(source) ? relative(source, word) || '.' : word)
  return words.map(short).join(' ')
}

/**
 * Makes the paths that in-place installs have written relative, so that the folder can be moved: a path file of Python
 * may hold relative paths.
 */
const FREE = `
import os, pathlib, sys
top, environment = sys.argv[1:]
for site in pathlib.Path(environment).glob("lib/python3*/site-packages"):
    for path in [*site.glob("*.pth"), *site.glob("__editable__*_finder.py")]:
        text = path.read_text()
        if path.suffix == ".pth":
            lines = [
                os.path.relpath(line, site) if line == top or line.startswith(top + os.sep) else line
                for line in text.splitlines()
            ]
            free = "".join(line + "\\n" for line in lines)
        else:
            here = '__import__("os").path.abspath(__file__ + "/../' + os.path.relpath(top, site) + '")'
            free = text.replace("'" + top, here + " + '")
        if free != text:
            part = path.with_name(path.name + ".part")
            part.write_text(free)
            part.replace(path)`

async function freeOfPaths(source: string, context: StepContext): Promise<void> {
  const environment = join(source, ENVIRONMENT)
  const at = { cwd: source, limitMs: context.limits.installMs }
  // `-S`: without running the path files.
  const command = [
    environmentPython(environment),
    '-I',
    '-S',
    '-c',
    FREE,
    source,
    environment,
  ] as const
  const { code, errors } = await ask(command, at, context)
  if (code === 0) return
  throw new BuildError('install', 'The environment of the project could not be looked through.', {
    logTail: errors.slice(-5),
  })
}

/**
 * Checks that a working LangGraph is installed. `isBuilt: false`: a build command may still install it. Throws
 * `BuildError('install')`.
 */
export async function checkLangGraph(
  source: string,
  { isBuilt }: { isBuilt: boolean },
): Promise<string | undefined> {
  const version = (await installedPackages(join(source, ENVIRONMENT))).get('langgraph')
  if (version === undefined && !isBuilt) return undefined
  const add = `add "langgraph>=${OLDEST_LANGGRAPH.python}" to what the project depends on`
  if (version === undefined) {
    throw new BuildError(
      'install',
      `The project has no LangGraph: ${add} (pyproject.toml, requirements.txt, or "dependencies").`,
    )
  }
  if (!isOlder(version, OLDEST_LANGGRAPH.python)) return version
  throw new BuildError(
    'install',
    `The project has LangGraph ${version}, and Runyard needs ${OLDEST_LANGGRAPH.python} or newer: ${add}.`,
  )
}

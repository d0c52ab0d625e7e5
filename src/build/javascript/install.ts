/** Installs a project's packages, or takes those of an earlier build. */
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BuildError } from '../../core/deployment/builds/build.ts'
import { keepInstall, restoreInstall } from '../install-cache.ts'
import { installsFolder } from '../layout.ts'
import { runStep, type StepContext } from '../step.ts'
import { installKey } from './install-key.ts'
import { checkLockedLangGraph } from './locked-version.ts'
import { type InstallPlan, planInstall, readLock } from './package-manager.ts'

/** The inputs of an install. */
interface InstallRequest {
  /** The builder's folder: packages are kept in it. */
  dir: string
  deployment_id: string
  /** Its deployments share packages; absent: none are shared. */
  workspace_id?: string
  /** The source's top folder. */
  source: string
  configPath: string
  /** The npm to run: a path, or a name to look for on the PATH. */
  npm: string
  /** The version of the Node that the project runs on. */
  node: string
  /** Whether packages are kept from build to build. */
  isKept: boolean
  /** Whether its graphs may be in JavaScript, so that it needs a LangGraph that works. */
  hasJsModules: boolean
  /** Called when nothing has to be installed, before the packages are in their place. */
  onFound?(): void
}

/**
 * Runs the package manager of the project's lock file where its packages belong, development packages included:
 * `npm ci`, pnpm or yarn or bun with a frozen lock file, `npm install` without one. pnpm, yarn and bun come through
 * npm, in the version that `packageManager` names. A project without `package.json` has nothing to install.
 *
 * Reuses the packages of the deployment's last builds, or of another deployment of the workspace, if they are the same
 * (`install-key.ts`).
 *
 * Throws `BuildError('install')`; for a LangGraph that is too old before anything is installed.
 */
export async function installProject(request: InstallRequest, context: StepContext): Promise<void> {
  const plan = await planInstall(dirname(request.configPath), request.source)
  if (!plan) {
    context.log.line('There is no package.json: nothing is installed.')
    return
  }
  const lock = request.hasJsModules ? await readLock(plan.folder) : undefined
  if (lock) checkLockedLangGraph(lock)
  if (!request.isKept) return runInstall(plan, request.npm, context)
  const identity = await installKey(plan, { node: request.node, env: context.env })
  if ('reason' in identity) {
    await runInstall(plan, request.npm, context)
    context.log.line(`The packages are not kept for the next build: ${identity.reason}.`)
    return
  }
  const all = installsFolder(request.dir, request.deployment_id)
  const { dir, workspace_id, onFound } = request
  const place = {
    ...{ all, key: identity.key, packagesIn: packageFolders },
    ...(workspace_id !== undefined && identity.isShareable && { sharing: { dir, workspace_id } }),
    ...(onFound && { onFound }),
  }
  if (await restoreInstall(place, plan.folder, context)) return
  await runInstall(plan, request.npm, context)
  await keepInstall(place, plan.folder, context)
}

/** The topmost `node_modules` folders: one, and with workspaces one for each that needs its own. */
async function packageFolders(folder: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === '.git') continue
    const path = join(folder, entry.name)
    if (entry.name === 'node_modules') found.push(path)
    else found.push(...(await packageFolders(path)))
  }
  return found
}

async function runInstall(plan: InstallPlan, npm: string, context: StepContext): Promise<void> {
  const { args, env } = installCommand(plan, context.env)
  const run = (...more: string[]) => {
    const title = ['npm', ...args, ...more].join(' ')
    const at = { cwd: plan.folder, limitMs: context.limits.installMs, env, title }
    return runStep('install', [npm, ...args, ...more], at, context)
  }
  if (plan.manager !== 'npm' || !plan.isLocked) return run()
  try {
    await run(PREFER_OFFLINE)
  } catch (error) {
    if (!isRefusedByRegistry(error) || context.signal.aborted) throw error
    context.log.line('What npm had kept of the registry may be out of date: it asks again.')
    await run()
  }
}

/**
 * Makes npm trust its cache of the registry without checking for newer data. The lock file names versions and digests,
 * so only missing data has to be fetched. Without this, npm asks if the lock file does not name the addresses of
 * packages: `npm ci` of the example took 3.5 s with this and 4.3 s without.
 */
const PREFER_OFFLINE = '--prefer-offline'

/** Whether the cache knew no such version, or its address no longer works. */
function isRefusedByRegistry(error: unknown): boolean {
  const lines = error instanceof BuildError ? error.logTail : []
  return lines.some((line) => /^npm (error|ERR!) code E(TARGET|4\d\d)$/.test(line))
}

interface InstallCommand {
  /** For npm. */
  args: string[]
  env: Record<string, string>
}

function installCommand(plan: InstallPlan, env: StepContext['env']): InstallCommand {
  switch (plan.manager) {
    case 'npm': {
      const verb = plan.isLocked ? 'ci' : 'install'
      return { args: [verb, '--include=dev', '--no-audit', '--no-fund'], env: {} }
    }
    case 'pnpm': {
      const lock = plan.isLocked ? ['--frozen-lockfile'] : ['--no-frozen-lockfile']
      return throughNpm(`pnpm@${plan.version}`, 'pnpm', ['install', '--prod=false', ...lock])
    }
    case 'yarn-classic': {
      const lock = plan.isLocked ? ['--frozen-lockfile'] : []
      const args = ['install', '--non-interactive', '--production=false', ...lock]
      return throughNpm(`yarn@${plan.version}`, 'yarn', args)
    }
    case 'yarn-berry': {
      const args = ['install', plan.isLocked ? '--immutable' : '--no-immutable']
      const command = throughNpm(`@yarnpkg/cli-dist@${plan.version}`, 'yarn', args)
      return { ...command, env: berryEnvironment(env) }
    }
    case 'bun': {
      const lock = plan.isLocked ? ['--frozen-lockfile'] : []
      return throughNpm(`bun@${plan.version}`, 'bun', ['install', ...lock])
    }
  }
}

function throughNpm(packageSpec: string, bin: string, args: string[]): InstallCommand {
  return { args: ['exec', '--yes', `--package=${packageSpec}`, '--', bin, ...args], env: {} }
}

/** The agent server loads packages from `node_modules`; berry's own default is without one. */
function berryEnvironment(env: StepContext['env']): Record<string, string> {
  // Berry does not read npm's settings.
  const registry = env.npm_config_registry
  return {
    YARN_NODE_LINKER: 'node-modules',
    YARN_ENABLE_TELEMETRY: '0',
    ...(registry ? { YARN_NPM_REGISTRY_SERVER: registry } : {}),
  }
}

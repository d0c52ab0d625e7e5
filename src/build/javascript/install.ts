/** Installs a project's packages, or takes those of an earlier build. */
import { dirname } from 'node:path'
import { runStep, type StepContext } from '../step.ts'
import { keepInstall, restoreInstall } from './install-cache.ts'
import { installKey } from './install-key.ts'
import { type InstallPlan, planInstall } from './package-manager.ts'

/** What is installed, and by what. */
interface InstallRequest {
  /** The builder's folder: packages are kept in it. */
  dir: string
  deployment_id: string
  /** The source's top folder; an own `install_command` runs here. */
  source: string
  configPath: string
  install_command: string | null
  /** The npm to run: a path, or a name to look for on the PATH. */
  npm: string
  /** The version of the Node that the project runs on. */
  node: string
  /** Whether packages are kept from build to build. */
  isKept: boolean
}

/**
 * Runs the project's `install_command` at the top of its source, or else the package manager of its
 * lock file where the project's packages belong, development packages included: `npm ci`, pnpm or
 * yarn with a frozen lock file, `npm install` without one. pnpm and yarn come through npm, in the
 * version that `packageManager` names. A project without `package.json` has nothing to install.
 *
 * When the deployment's last builds installed the same (`install-key.ts`), theirs is taken. What an
 * own `install_command` depends on is not known: it always runs.
 *
 * Throws `BuildError('install')`.
 */
export async function installProject(request: InstallRequest, context: StepContext): Promise<void> {
  const { limits } = context
  if (request.install_command) {
    const command = request.install_command
    const at = { cwd: request.source, limitMs: limits.installMs, title: command }
    await runStep('install', ['/bin/sh', '-c', command], at, context)
    return
  }
  const plan = await planInstall(dirname(request.configPath), request.source)
  if (!plan) {
    context.log.line('There is no package.json: nothing is installed.')
    return
  }
  if (!request.isKept) return runInstall(plan, request.npm, context)
  const identity = await installKey(plan, { node: request.node, env: context.env })
  if ('reason' in identity) {
    await runInstall(plan, request.npm, context)
    context.log.line(`The packages are not kept for the next build: ${identity.reason}.`)
    return
  }
  const place = { dir: request.dir, deployment_id: request.deployment_id, key: identity.key }
  if (await restoreInstall(place, plan.folder, context)) {
    context.log.line('Nothing to install: the packages of an earlier build are the same.')
    return
  }
  await runInstall(plan, request.npm, context)
  await keepInstall(place, plan.folder, context)
}

async function runInstall(plan: InstallPlan, npm: string, context: StepContext): Promise<void> {
  const { args, env } = installCommand(plan, context.env)
  const title = ['npm', ...args].join(' ')
  const at = { cwd: plan.folder, limitMs: context.limits.installMs, env, title }
  await runStep('install', [npm, ...args], at, context)
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

/** A key for the result of an install: two installs with the same key give the same packages. */
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { AppError } from '../../core/errors.ts'
import { readTextFile } from '../../project/files.ts'
import type { InstallPlan } from './package-manager.ts'

/** The inputs of an install beside the project's files. */
interface InstallSurroundings {
  /** The Node that packages are installed for. */
  node: string
  env: Readonly<Record<string, string>>
}

/**
 * The key of an install; or why there is none, because its result may depend on anything. `isShareable`: other
 * deployments can use the result, since no package has an install script, which may read variables and write anywhere.
 */
type InstallKey = { key: string; isShareable: boolean } | { reason: string }

/** Files that package managers read, wherever they lie in a workspace. */
const READ_FILES = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  '.pnpmfile.cjs',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'bunfig.toml',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
])

const NPM_LOCKS: ReadonlySet<string> = new Set(['package-lock.json', 'npm-shrinkwrap.json'])

/** Variables that package managers and their helpers read. (A model's key is not one of them.) */
const READ_VARIABLES = /^(npm|yarn|pnpm|bun|node|corepack)_/i

/** Scripts of a project's own that an install runs. They may read and write any file. */
const LIFECYCLE = ['preinstall', 'install', 'postinstall', 'prepublish', 'prepare', 'dependencies']

/**
 * The key covers the lock file, every `package.json` below the plan's folder but for its `scripts`,
 * the settings of the package managers, their versions, the Node and the platform. With npm it does not cover the
 * project's own name and version, so that a project made from a template has the key of the template.
 */
export async function installKey(
  plan: InstallPlan,
  surroundings: InstallSurroundings,
): Promise<InstallKey> {
  if (!plan.isLocked) return { reason: 'there is no lock file' }
  const hash = createHash('sha256')
  const add = (...texts: string[]) => hash.update(`${JSON.stringify(texts)}\n`)
  add(plan.manager, plan.version ?? '', surroundings.node, process.platform, process.arch)
  for (const [name, value] of readVariables(surroundings.env)) add(name, value)
  const shareable: boolean[] = []
  for (const path of await relevantFiles(plan.folder)) {
    const name = relative(plan.folder, path)
    const text = await readTextFile(path).catch(refused)
    if (text === undefined) return { reason: `${name} is too large` }
    if (plan.manager === 'npm' && NPM_LOCKS.has(name)) {
      const lock = parseLock(text)
      shareable.push(lock?.isShareable ?? false)
      add(name, lock?.text ?? text)
    } else if (!path.endsWith('package.json')) add(name, text)
    else {
      const { scripts, ...rest } = JSON.parse(text.replace(/^\uFEFF/, '')) as PackageFile
      const script = LIFECYCLE.find((one) => scripts?.[one] !== undefined)
      if (script) return { reason: `${name} has the script "${script}"` }
      const isOwn = plan.manager === 'npm' && name === 'package.json'
      add(name, JSON.stringify(isOwn ? unnamed(rest) : rest))
    }
  }
  // Of two lock files npm uses one.
  const isShareable = shareable.length > 0 && !shareable.includes(false)
  return { key: hash.digest('hex'), isShareable }
}

function refused(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error
}

interface PackageFile {
  scripts?: Record<string, unknown>
  name?: unknown
  version?: unknown
}

/** Since npm 7. `undefined`: npm decides what to make of the file. */
function parseLock(text: string): { text: string; isShareable: boolean } | undefined {
  try {
    const { packages, ...rest } = JSON.parse(text) as NpmLock
    if (packages === undefined) return undefined
    const entries = Object.entries(packages)
    return {
      text: JSON.stringify([
        unnamed(rest),
        entries.map(([at, one]) => [at, at ? one : unnamed(one)]),
      ]),
      isShareable: entries.every(([, one]) => one.hasInstallScript !== true),
    }
  } catch {
    return undefined
  }
}

interface NpmLock extends PackageFile {
  packages?: Record<string, PackageFile & { hasInstallScript?: unknown }>
}

function unnamed({ name: _name, version: _version, ...rest }: PackageFile): object {
  return rest
}

function readVariables(env: InstallSurroundings['env']): [name: string, value: string][] {
  return Object.entries(env)
    .filter(([name]) => READ_VARIABLES.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

async function relevantFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git') {
      found.push(...(await relevantFiles(path)))
    } else if (entry.isFile() && (entry.name === 'package.json' || READ_FILES.has(entry.name))) {
      found.push(path)
    }
  }
  return found
}

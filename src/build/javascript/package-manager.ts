/** Which package manager a project uses, and where it installs. */

import { dirname, join } from 'node:path'
import { BuildError } from '../../core/deployment/builds/build.ts'
import { AppError } from '../../core/errors.ts'
import { isObject } from '../../core/json.ts'
import { readTextFile } from '../../project/files.ts'
import type { LockFile } from './locked-version.ts'

/** One install: a command and the folder that it belongs in. */
export interface InstallPlan {
  /** Absolute: the project's folder, or that of the workspace which the project is part of. */
  folder: string
  manager: 'npm' | 'pnpm' | 'yarn-classic' | 'yarn-berry' | 'bun'
  /** Exact; `null` for npm, which is the machine's own. */
  version: string | null
  /** There is a lock file: install exactly what it says. */
  isLocked: boolean
}

type Manager = LockFile['manager']

const LOCK_FILES: readonly (readonly [string, Manager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
]

/** Used where `packageManager` names no version: the last that reads the lock file's form. */
const PNPM_BY_LOCK: Readonly<Record<string, string>> = { '5': '7.33.7', '6': '8.15.9' }
const PNPM_VERSION = '10.34.9'
const BUN_VERSION = '1.3.9'
const YARN_CLASSIC_VERSION = '1.22.22'
/** Berry refuses a lock file of another form than its own when it may not change it. */
const YARN_BY_LOCK: Readonly<Record<string, string>> = {
  '6': '3.8.7',
  '8': '4.13.0',
  '9': '4.14.1',
}
const YARN_VERSION = '4.18.1'

/**
 * Looks from `folder` (the configuration's) up to `root` (the source's) for the nearest
 * `package.json`, and further up for the workspace that it is part of. The lock file decides the
 * manager, then `packageManager`, then it is npm. `undefined`: no `package.json`, nothing to do.
 *
 * Throws `BuildError('install')` when a `package.json` is no JSON object, and when one of the files is
 * no file or too large to be read.
 */
export async function planInstall(folder: string, root: string): Promise<InstallPlan | undefined> {
  const folders = foldersUpTo(folder, root)
  const packages = await Promise.all(folders.map(readPackage))
  const own = packages.find((found) => found !== undefined)
  if (!own) return undefined
  const above = packages.slice(packages.indexOf(own) + 1)
  const workspace = above.find((found) => found?.isWorkspace)
  const at = own.lock ? own : (workspace ?? own)
  const manager = at.lock?.manager ?? at.named?.manager ?? 'npm'
  return {
    folder: at.folder,
    ...pickVersion(manager, at),
    isLocked: at.lock !== undefined,
  }
}

interface Package {
  folder: string
  isWorkspace: boolean
  lock: LockFile | undefined
  /** The value of `packageManager`. */
  named: { manager: Manager; version: string } | undefined
}

function foldersUpTo(folder: string, root: string): string[] {
  const folders = [folder]
  for (let at = folder; at !== root && at !== dirname(at); ) {
    at = dirname(at)
    folders.push(at)
  }
  return folders
}

async function readPackage(folder: string): Promise<Package | undefined> {
  const text = await readText(join(folder, 'package.json'))
  if (text === undefined) return undefined
  const json = parsePackage(text, folder)
  const pnpmWorkspace = await readText(join(folder, 'pnpm-workspace.yaml'))
  return {
    folder,
    isWorkspace: json.workspaces !== undefined || pnpmWorkspace !== undefined,
    lock: await readLock(folder),
    named: parseNamed(json.packageManager),
  }
}

/** Returns the lock file that decides. Throws as `planInstall` does. */
export async function readLock(folder: string): Promise<LockFile | undefined> {
  for (const [name, manager] of LOCK_FILES) {
    const text = await readText(join(folder, name))
    if (text !== undefined) return { name, manager, text }
  }
  return undefined
}

function parsePackage(text: string, folder: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (isObject(json)) return json
  } catch (cause) {
    throw new BuildError('install', `package.json in ${folder} is not valid JSON.`, { cause })
  }
  throw new BuildError('install', `package.json in ${folder} is not a JSON object.`)
}

/** `pnpm@9.1.0+sha512.…` → manager and version; other forms are ignored. */
function parseNamed(value: unknown): Package['named'] {
  const match = /^(npm|pnpm|yarn|bun)@(\d+\.\d+\.\d+(?:-[\w.]+)?)(?:\+.*)?$/.exec(String(value))
  return match ? { manager: match[1] as Manager, version: match[2] as string } : undefined
}

function pickVersion(manager: Manager, at: Package): Pick<InstallPlan, 'manager' | 'version'> {
  const named = at.named?.manager === manager ? at.named.version : undefined
  const lock = at.lock?.text ?? ''
  switch (manager) {
    case 'npm':
      return { manager, version: null }
    case 'pnpm': {
      const form = /^lockfileVersion: *'?(\d+)/m.exec(lock)?.[1] ?? ''
      return { manager, version: named ?? PNPM_BY_LOCK[form] ?? PNPM_VERSION }
    }
    case 'yarn':
      return pickYarn(named, lock)
    case 'bun':
      return { manager, version: named ?? BUN_VERSION }
  }
}

/** Only berry's lock file has `__metadata`. */
function pickYarn(
  named: string | undefined,
  lock: string,
): Pick<InstallPlan, 'manager' | 'version'> {
  const form = /^__metadata:\s+version: *(\d+)/m.exec(lock)?.[1]
  const isClassic = named ? named.startsWith('1.') : form === undefined
  if (isClassic) return { manager: 'yarn-classic', version: named ?? YARN_CLASSIC_VERSION }
  return { manager: 'yarn-berry', version: named ?? YARN_BY_LOCK[form ?? ''] ?? YARN_VERSION }
}

/** A file that cannot be read counts as missing. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return await readTextFile(path)
  } catch (error) {
    if (error instanceof AppError) throw new BuildError('install', error.message, { cause: error })
    return undefined
  }
}

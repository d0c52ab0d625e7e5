/** The workspace of a package manager that a project's folder is a member of. */
import { dirname, join, matchesGlob, relative, sep } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { AppError } from '../core/errors.ts'
import { isObject } from '../core/json.ts'
import { isThere, readTextFile } from './files.ts'

interface Workspace {
  /** Where its root lies; absolute. */
  folder: string
  manager: 'npm' | 'pnpm' | 'yarn' | 'bun' | 'uv'
}

const JS_LOCKS = {
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
  'package-lock.json': 'npm',
  'npm-shrinkwrap.json': 'npm',
} as const

/**
 * The nearest one above that has the folder as a member. `undefined`: none has, or the folder has a lock file of its
 * own, which makes it independent. `top`: the last folder that is searched; absolute.
 */
export async function findWorkspace(folder: string, top: string): Promise<Workspace | undefined> {
  const isUv =
    (await isThere(join(folder, 'pyproject.toml'))) && !(await hasAny(folder, ['uv.lock']))
  const isJs =
    (await isThere(join(folder, 'package.json'))) && !(await hasAny(folder, Object.keys(JS_LOCKS)))
  for (const above of foldersAbove(folder, top)) {
    const path = relative(above, folder).split(sep).join('/')
    if (isJs && isMember(path, await jsMembers(above))) {
      return { folder: above, manager: await jsManager(above) }
    }
    if (isUv && isMember(path, await uvMembers(above))) return { folder: above, manager: 'uv' }
  }
  return undefined
}

/** The folders above, the nearest first. */
export function foldersAbove(folder: string, top: string): string[] {
  const above = dirname(folder)
  return folder === top || above === folder ? [] : [above, ...foldersAbove(above, top)]
}

async function hasAny(folder: string, names: string[]): Promise<boolean> {
  const found = await Promise.all(names.map((name) => isThere(join(folder, name))))
  return found.includes(true)
}

/** As in all of these managers: the last pattern that matches decides, and `!` excludes. */
function isMember(path: string, patterns: readonly string[]): boolean {
  const last = patterns.findLast((one) => matchesGlob(path, bare(one)))
  return last !== undefined && !last.startsWith('!')
}

function bare(pattern: string): string {
  return pattern.replace(/^!/, '').replace(/^\.\//, '').replace(/\/+$/, '')
}

async function jsMembers(folder: string): Promise<string[]> {
  const [pnpm, own] = await Promise.all([
    readObject(join(folder, 'pnpm-workspace.yaml'), parseYaml),
    readObject(join(folder, 'package.json'), JSON.parse),
  ])
  const { workspaces } = own
  const named = isObject(workspaces) ? workspaces.packages : workspaces
  return [...textsOf(pnpm.packages), ...textsOf(named)]
}

async function jsManager(folder: string): Promise<Workspace['manager']> {
  if (await isThere(join(folder, 'pnpm-workspace.yaml'))) return 'pnpm'
  for (const [file, manager] of Object.entries(JS_LOCKS)) {
    if (await isThere(join(folder, file))) return manager
  }
  const { packageManager } = await readObject(join(folder, 'package.json'), JSON.parse)
  const [, named] = /^(pnpm|yarn|bun)@/.exec(String(packageManager)) ?? []
  return (named as Workspace['manager'] | undefined) ?? 'npm'
}

async function uvMembers(folder: string): Promise<string[]> {
  const { tool } = await readObject(join(folder, 'pyproject.toml'), parseToml)
  const uv = isObject(tool) ? tool.uv : undefined
  const workspace = isObject(uv) ? uv.workspace : undefined
  if (!isObject(workspace)) return []
  const left = textsOf(workspace.exclude).map((one) => `!${one}`)
  return [...textsOf(workspace.members), ...left]
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** Empty if there is no such file, or its manager could not read it either. */
async function readObject(
  path: string,
  parse: (text: string) => unknown,
): Promise<Record<string, unknown>> {
  try {
    const value = parse((await readTextFile(path)).replace(/^\uFEFF/, ''))
    return isObject(value) ? value : {}
  } catch (error) {
    if (error instanceof AppError) throw error
    return {}
  }
}

/** Finds the Python for a project's environment. */
import { readdir } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { BuildError } from '../../core/deployment/builds/build.ts'
import { pythonsFolder } from '../layout.ts'
import { readSourceFile } from '../source-file.ts'
import { ask, type StepContext } from '../step.ts'
import type { Uv } from './uv.ts'

export interface FoundPython {
  /** Absolute. */
  path: string
  version: string
  /** The reason for this version, as half a sentence. */
  because: string
}

interface Asked {
  /** As uv reads it: `3.12`, or `>=3.11,<3.14`. */
  request: string
  because: string
}

const OLDEST = '>=3.11'
const LOOK_MS = 60_000
/** Valid requests to uv: versions and names of Pythons, no options, paths or addresses. */
const REQUEST = /^[a-z0-9<>=!~][a-z0-9.,<>=!~*@+_-]*$/i

/** The inputs of a search. */
interface Search {
  uv: Uv
  /** The builder's folder. */
  dir: string
  /** `python_version` of `langgraph.json`. */
  version: string | undefined
  /** The project's folder, and the top of its source. */
  root: string
  source: string
  /** The home of this process's user; pyenv has its Pythons there. */
  home: string | undefined
}

/**
 * Returns a suitable Python of the machine, or else one that uv installs. `python_version` decides, then
 * `.python-version`, then `requires-python`. `context` runs commands of Runyard's own, `confined` those of the project,
 * which must be able to run it. Throws `BuildError('configuration')`.
 */
export async function findPython(
  search: Search,
  context: StepContext,
  confined: StepContext,
): Promise<FoundPython> {
  const asked = await askedOf(search)
  const found =
    (await look(search, asked, confined)) ?? (await bring(search, asked, context, confined))
  if (isEnough(found.version)) return { ...found, because: asked.because }
  throw new BuildError(
    'configuration',
    `${asked.because}, which is Python ${found.version}; Runyard needs 3.11 or newer: ask for that.`,
  )
}

function isEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 3 || (major === 3 && minor >= 11)
}

async function askedOf({ version, root, source }: Search): Promise<Asked> {
  if (version !== undefined) {
    return { request: version, because: `"python_version" is "${version}"` }
  }
  for (const folder of foldersUpTo(root, source)) {
    const named = (await readSourceFile(source, join(folder, '.python-version')))?.trim()
    const request = named?.split(/\s/)[0]
    if (request) {
      checkRequest(request, '.python-version')
      return { request, because: `.python-version says ${request}` }
    }
    const project = await readSourceFile(source, join(folder, 'pyproject.toml'))
    const required = /^\s*requires-python\s*=\s*["']([^"']+)["']/m.exec(project ?? '')?.[1]
    if (required) {
      const request = `${required.replaceAll(' ', '')},${OLDEST}`
      checkRequest(request, '"requires-python" of pyproject.toml')
      return { request, because: `pyproject.toml requires ${required}` }
    }
  }
  return { request: OLDEST, because: 'langgraph.json names no "python_version"' }
}

/** uv installs it outside of the project's sandbox. The error does not repeat the file's text: it may be anything. */
function checkRequest(request: string, where: string): void {
  if (REQUEST.test(request)) return
  throw new BuildError(
    'configuration',
    `${where} names no version of Python: write 3.13, or >=3.11.`,
  )
}

function foldersUpTo(folder: string, top: string): string[] {
  return folder === top || folder === dirname(folder)
    ? [folder]
    : [folder, ...foldersUpTo(dirname(folder), top)]
}

async function look(
  search: Search,
  { request }: Asked,
  confined: StepContext,
): Promise<Omit<FoundPython, 'because'> | undefined> {
  const { uv, dir, home } = search
  const at = { cwd: '/', limitMs: LOOK_MS, env: await uvEnvironment(dir, home, confined) }
  const find = [uv.command, 'python', 'find', '--system', '--no-project', '--', request] as const
  const { code, stdout } = await ask(find, at, confined)
  if (code !== 0 || stdout === '') return undefined
  const script = 'import platform; print(platform.python_version())'
  const version = await ask([stdout, '-I', '-c', script], at, confined)
  return version.code === 0 ? { path: stdout, version: version.stdout } : undefined
}

async function bring(
  search: Search,
  { request, because }: Asked,
  context: StepContext,
  confined: StepContext,
): Promise<Omit<FoundPython, 'because'>> {
  const { uv, dir } = search
  context.log.line(`$ uv python install ${request}`)
  const env = {
    ...(await uvEnvironment(dir, undefined, context)),
    // The operator may forbid downloads.
    UV_PYTHON_DOWNLOADS: context.env.UV_PYTHON_DOWNLOADS ?? 'automatic',
  }
  const at = { cwd: '/', limitMs: context.limits.installMs, env }
  const install = [
    uv.command,
    'python',
    'install',
    '--no-bin',
    '--no-config',
    '--',
    request,
  ] as const
  const { errors } = await ask(install, at, context)
  const found = await look(search, { request, because }, confined)
  if (found) return found
  for (const line of errors) context.log.line(line)
  const there = await installedVersions(search, confined)
  const others = there.length > 0 ? `There are ${there.join(', ')}` : 'There is no other'
  throw new BuildError(
    'configuration',
    `${because}: that Python is not on this machine, and uv could not get it. ${others}: ` +
      'ask for one that is there, or install it.',
    { logTail: errors.slice(-5) },
  )
}

/** The Pythons that the project's commands can run, each version once. */
async function installedVersions(search: Search, confined: StepContext): Promise<string[]> {
  const { uv, dir, home } = search
  const at = { cwd: '/', limitMs: LOOK_MS, env: await uvEnvironment(dir, home, confined) }
  const list = [
    uv.command,
    'python',
    'list',
    '--only-installed',
    '--output-format',
    'json',
  ] as const
  const { stdout } = await ask(list, at, confined)
  try {
    const found = JSON.parse(stdout) as { version: string }[]
    return [...new Set(found.map(({ version }) => version))]
  } catch {
    return []
  }
}

/** uv finds its own Pythons in the builder's folder, and those of pyenv in their folders. */
async function uvEnvironment(
  dir: string,
  home: string | undefined,
  { env }: StepContext,
): Promise<Record<string, string>> {
  const versions = join(home ?? '/', '.pyenv', 'versions')
  const names = home === undefined ? [] : await readdir(versions).catch(() => [])
  const folders = names.map((name) => join(versions, name, 'bin'))
  return {
    PATH: [env.PATH ?? '', ...folders].join(delimiter),
    UV_PYTHON_INSTALL_DIR: pythonsFolder(dir),
    UV_PYTHON_DOWNLOADS: 'never',
    // Prefers the machine's Python to one installed for another project.
    UV_PYTHON_PREFERENCE: 'system',
  }
}

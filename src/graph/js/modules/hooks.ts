/**
 * Hooks by which Node imports a project's modules: TypeScript and JavaScript, ES modules and CommonJS, as
 * `tsx` loads them, with the path aliases of the `tsconfig.json` nearest to each file.
 *
 * Once installed, they stay for the life of the process: a graph may import more while it runs.
 * They carry no namespace, since modules imported under one would be second copies of the packages
 * that the server imports for the project.
 */
import { registerHooks } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createPathsMatcher, type PathsMatcher, parseTsconfig } from 'get-tsconfig'
import { AppError } from '../../../core/errors.ts'
import { findTsconfig } from '../../../project/tsconfig.ts'

/**
 * `<PREFIX><file URL, encoded>/<package>`: the package as that file would import it. The file is not in a query,
 * because the hooks of tsx strip queries before they call the next hooks.
 */
export const PREFIX = 'runyard-project:'

let areHooksInstalled = false
let isResolving = false

/** File URLs of the project's own modules, without those of packages. */
const sources = new Set<string>()
let tell: (file: string) => void = () => {}

/**
 * Makes project modules outside of a bundle importable. `file`: one of the project's; the syntax settings of the
 * `tsconfig.json` nearest to it, such as decorators, apply to all files of the process. Registers both hooks of tsx, as
 * its own command does: without the one for CommonJS, a graph's imports would be loaded as ES modules. That one takes
 * its `tsconfig.json` from `TSX_TSCONFIG_PATH`, or else from the working directory. Throws `bad_request` for a
 * `tsconfig.json` that cannot be read.
 */
export async function installHooks(file: string): Promise<void> {
  const tsconfig = tsconfigOf(file)
  if (areHooksInstalled) return
  areHooksInstalled = true
  // Takes a quarter of a second, which a bundle saves.
  const [esm, cjs] = await Promise.all([import('tsx/esm/api'), import('tsx/cjs/api')])
  resolvePackages()
  cjs.register()
  esm.register({ tsconfig: tsconfig?.path ?? false })
  registerHooks({ resolve: resolveAlias })
}

/** Makes `PREFIX` known. */
export function resolvePackages(): void {
  if (!isResolving) registerHooks({ resolve: resolveForFile })
  isResolving = true
}

/**
 * Calls the listener once for every file of the project that is imported from now on, early or late: graph files and
 * their imports outside of `node_modules`.
 */
export function onSource(listener: (file: string) => void): void {
  tell = listener
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]['resolve']>

const resolveForFile: Resolve = (specifier, context, next) => {
  if (specifier.startsWith(PREFIX)) {
    const [from = '', ...packageName] = specifier.slice(PREFIX.length).split('/')
    return next(packageName.join('/'), { ...context, parentURL: decodeURIComponent(from) })
  }
  const resolved = next(specifier, context)
  if (context.parentURL && sources.has(withoutQuery(context.parentURL))) addSource(resolved.url)
  return resolved
}

/** Comes before the hooks of tsx, which look for extensions and folders. */
const resolveAlias: Resolve = (specifier, context, next) => {
  const { parentURL = '', conditions } = context
  if (!isBare(specifier) || !sources.has(withoutQuery(parentURL))) return next(specifier, context)
  const tsconfig = tsconfigOf(fileURLToPath(parentURL))
  if (tsconfig) addSource(pathToFileURL(tsconfig.path).href)
  for (const path of tsconfig?.match?.(specifier) ?? []) {
    try {
      return next(conditions.includes('import') ? pathToFileURL(path).href : path, context)
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  try {
    return next(specifier, context)
  } catch (error) {
    if (tsconfig && error instanceof Error && isMissing(error))
      error.message += `. Path aliases are those of ${tsconfig.path}`
    throw error
  }
}

/** No path and no address: the name of a package, or an alias. */
function isBare(specifier: string): boolean {
  return !/^(\.{0,2}\/|\.{1,2}$|[a-z][a-z\d+.-]+:)/i.test(specifier)
}

function isOwn(url: string): boolean {
  return url.startsWith('file:') && !url.includes('/node_modules/')
}

const MISSING = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT']

function isMissing(error: unknown): boolean {
  return MISSING.includes(String((error as NodeJS.ErrnoException | null)?.code))
}

/** Reports a file of the project, and from now on those that it imports. */
export function noteSource(file: string): void {
  addSource(pathToFileURL(file).href)
}

function addSource(resolved: string): void {
  const url = withoutQuery(resolved)
  if (!isOwn(url) || sources.has(url)) return
  sources.add(url)
  tell(fileURLToPath(url))
}

function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/, '')
}

interface Tsconfig {
  path: string
  /** With all that it extends. */
  config: ReturnType<typeof parseTsconfig>
  /** Returns the paths that an alias may name; `null` if the file has no aliases. */
  match: PathsMatcher | null
}

/** By folder. A reload starts a new process, so nothing is read twice. */
const known = new Map<string, Tsconfig | undefined>()

/**
 * The `tsconfig.json` nearest to a file, with what it extends: its path aliases, and its syntax settings. `undefined`
 * if there is no such file. Throws `bad_request`, with the path, for one that cannot be read.
 */
export function tsconfigOf(file: string): Tsconfig | undefined {
  const folder = dirname(file)
  if (!known.has(folder)) known.set(folder, read(findTsconfig(folder)))
  return known.get(folder)
}

function read(path: string | undefined): Tsconfig | undefined {
  if (path === undefined) return undefined
  try {
    const config = parseTsconfig(path)
    return { path, config, match: createPathsMatcher({ path, config }) }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AppError('bad_request', `${path} cannot be used: ${reason}`, { cause })
  }
}

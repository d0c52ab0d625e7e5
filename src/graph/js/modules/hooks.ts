/**
 * Hooks by which Node imports a project's modules: TypeScript and JavaScript, ES modules and CommonJS, as
 * `tsx` loads them, with the path aliases of the `tsconfig.json` nearest to each file.
 *
 * Once installed, they stay for the life of the process: a graph may import more while it runs.
 * They carry no namespace, since modules imported under one would be second copies of the packages
 * that the server imports for the project.
 */
import { registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { tsconfigOf } from './tsconfig.ts'

/**
 * `<PREFIX><file URL, encoded>/<package>`: the package as that file would import it. The file is no
 * query, which the hooks of tsx take away before they ask the next ones.
 */
export const PREFIX = 'runyard-project:'

let areHooksInstalled = false
let isResolving = false

/** File URLs of the project's own modules: what it imports from packages is not in it. */
const sources = new Set<string>()
let tell: (file: string) => void = () => {}

/**
 * Makes the modules of projects importable that are in no bundle. `file`: one of the project's; what the
 * `tsconfig.json` nearest to it says of syntax, such as decorators, holds for all files of the process. tsx
 * has two hooks, as its own command has: without that for CommonJS, what a graph imports would be loaded as
 * ES modules. That one takes its `tsconfig.json` from `TSX_TSCONFIG_PATH`, or else from the working directory.
 * Throws `bad_request` for a `tsconfig.json` that cannot be read.
 */
export async function installHooks(file: string): Promise<void> {
  const tsconfig = tsconfigOf(file)
  if (areHooksInstalled) return
  areHooksInstalled = true
  // A quarter of a second, which a bundle does without.
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
 * From now on tells of every file that the project consists of, once, as it is imported: graph
 * files and whatever they import that does not lie in a `node_modules`, early or late.
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

/** Tells of a file that belongs to the project, and of those that it imports from now on. */
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

/**
 * Imports a project's modules: those of an open bundle (`bundled.ts`) from there, all others
 * as they are: TypeScript and JavaScript, ES modules and CommonJS, with the path aliases of its
 * `tsconfig.json`.
 *
 * Hooks, once installed, stay for the life of the process: a graph may import more while it runs.
 * They carry no namespace, since modules imported under one would be second copies of the packages
 * that the server imports for the project.
 */
import { createRequire, registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { AppError } from '../../../core/errors.ts'
import { findTsconfig } from '../../../project/tsconfig.ts'
import { bundledModule } from './bundled.ts'
import { packageHome } from './package-home.ts'

/**
 * `<PREFIX><file URL, encoded>/<package>`: the package as that file would import it. The file is no
 * query, which the hooks of tsx take away before they ask the next ones.
 */
const PREFIX = 'runyard-project:'

/** What is installed; `tsconfig` is the path of the one whose aliases hold, `false` for none. */
let installed: { tsconfig: string | false; uninstall(): Promise<void> } | undefined
let isResolving = false

/** File URLs of the project's own modules: what it imports from packages is not in it. */
const sources = new Set<string>()
let tell: (file: string) => void = () => {}

/**
 * Makes the modules of a project importable that are in no bundle. `root` is the project's folder: the `tsconfig.json` of
 * it, or of a folder above, says which path aliases there are; of the projects of one process, the
 * one that came last has its aliases. Throws `bad_request` for a `tsconfig.json` that is none.
 */
export async function installHooks(root: string): Promise<void> {
  const tsconfig = findTsconfig(root) ?? false
  if (installed?.tsconfig === tsconfig) return
  // A quarter of a second, which a bundle does without.
  const { register } = await import('tsx/esm/api')
  resolvePackages()
  await installed?.uninstall()
  installed = { tsconfig, uninstall: registerTsx(register, tsconfig) }
}

/** Makes `PREFIX` known. */
function resolvePackages(): void {
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

function registerTsx(register: Register, tsconfig: string | false): () => Promise<void> {
  try {
    return register({ tsconfig })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AppError('bad_request', `${tsconfig} cannot be used: ${reason}`, { cause })
  }
}

type Register = typeof import('tsx/esm/api')['register']

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

/** Tells of a file that belongs to the project though nothing here imports it. */
export function noteSource(file: string): void {
  addSource(pathToFileURL(file).href)
}

function addSource(resolved: string): void {
  const url = withoutQuery(resolved)
  if (!url.startsWith('file:') || url.includes('/node_modules/') || sources.has(url)) return
  sources.add(url)
  tell(fileURLToPath(url))
}

function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/, '')
}

/** The exports of a module of the project. Rejects with whatever the module throws. */
export async function importFile(file: string): Promise<Record<string, unknown>> {
  const bundled = bundledModule(file)
  if (bundled) return unwrapDefault(await bundled.load())
  const url = pathToFileURL(file).href
  addSource(url)
  const exports = await import(url)
  return unwrapDefault(exports)
}

/**
 * A package as a file, already imported, gets it (`package-home.ts`): CommonJS for CommonJS. Rejects
 * where there is none.
 */
export async function importFor(file: string, packageName: string): Promise<unknown> {
  const bundled = bundledModule(file)?.packages[packageName]
  if (bundled) return bundled()
  resolvePackages()
  const home = await packageHome(file, packageName)
  const require = createRequire(home)
  if (file in require.cache) return require(packageName)
  return import(`${PREFIX}${encodeURIComponent(pathToFileURL(home).href)}/${packageName}`)
}

/** `export default` that was compiled to CommonJS comes one level too deep. */
function unwrapDefault(exports: Record<string, unknown>): Record<string, unknown> {
  const inner = exports.default as Record<string, unknown> | null | undefined
  const isCompiled = typeof inner === 'object' && inner !== null && inner.__esModule === true
  return isCompiled ? { ...exports, ...inner } : exports
}

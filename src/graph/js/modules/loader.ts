/** Imports a project's modules: from an open bundle (`bundled.ts`), or else from their sources (`hooks.ts`). */
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { AppError } from '../../../core/errors.ts'
import type { JsModule } from '../../../project/module-spec.ts'
import { bundledModule } from './bundled.ts'
import { noteSource, PREFIX, resolvePackages } from './hooks.ts'
import { packageHome } from './package-home.ts'

/** The exports of a module of the project. Rejects with whatever the module throws. */
export async function importFile(file: string): Promise<Record<string, unknown>> {
  const bundled = bundledModule(file)
  if (bundled) return unwrapDefault(await bundled.load())
  noteSource(file)
  const exports = await import(pathToFileURL(file).href)
  return unwrapDefault(exports)
}

/**
 * A package as an already imported file gets it (`package-home.ts`): CommonJS for CommonJS. Rejects if it is not
 * installed.
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

/**
 * Imports the file and returns its export as `exported`; an export that is a promise is not awaited. `what` begins the
 * message of a refusal, which is a `bad_request` when the file cannot be loaded, or does not export the name.
 */
export async function importExport(spec: JsModule, what: string): Promise<{ exported: unknown }> {
  const { path, exportName } = spec
  const exports = await importModule(spec, what)
  if (exports[exportName] !== undefined) return { exported: exports[exportName] }
  const names = Object.keys(exports).filter((name) => name !== 'module.exports')
  const found = names.length > 0 ? `it exports ${names.join(', ')}` : 'it exports nothing'
  throw new AppError('bad_request', `${what}: ${path} has no export "${exportName}"; ${found}.`)
}

async function importModule(spec: JsModule, what: string): Promise<Record<string, unknown>> {
  try {
    return await importFile(spec.file)
  } catch (cause) {
    const message = `${what}: ${spec.path} could not be loaded: ${describeError(cause)}`
    throw new AppError('bad_request', message, { cause })
  }
}

/** The error's own name and sentence. */
export function describeError(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
}

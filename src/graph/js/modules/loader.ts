/** Imports a project's modules: from an open bundle (`bundled.ts`), or else from their sources (`hooks.ts`). */
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
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

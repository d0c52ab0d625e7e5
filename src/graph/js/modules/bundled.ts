/** A project's modules out of the file that `js/bundle/write.ts` wrote. */
import { join } from 'node:path'
import { setSourceMapsEnabled } from 'node:process'
import { pathToFileURL } from 'node:url'

type Exports = Record<string, unknown>

interface BundledModule {
  load(): Promise<Exports>
  /** By name: the copy that this module imports. */
  packages: Record<string, () => Promise<unknown>>
}

let modules = new Map<string, BundledModule>()

/**
 * From now on the project's modules come out of the bundle; `root` is the project's folder. Runs
 * none of its code. Stack traces name the sources. Rejects when the bundle cannot be read.
 */
export async function openBundle(file: string, root: string): Promise<void> {
  setSourceMapsEnabled(true)
  const bundle: { modules: Record<string, BundledModule> } = await import(pathToFileURL(file).href)
  modules = new Map(Object.entries(bundle.modules).map(([path, one]) => [join(root, path), one]))
}

/** From now on they are none of the bundle's. */
export function closeBundle(): void {
  modules.clear()
}

/** `undefined`: the file is in no open bundle. */
export function bundledModule(file: string): BundledModule | undefined {
  return modules.get(file)
}

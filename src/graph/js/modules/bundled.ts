/** A project's modules out of the file that `js/bundle/write.ts` wrote. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { nameSourcesOf } from './bundle-sources.ts'
import { resolvePackages } from './hooks.ts'

type Exports = Record<string, unknown>

interface BundledModule {
  load(): Promise<Exports>
  /** The version of the LangGraph that its graph imports, as of the writing of the bundle. Absent in older bundles. */
  langgraphVersion?: string
  /** By name: the copy that this module imports. */
  packages: Record<string, () => Promise<unknown>>
}

let modules = new Map<string, BundledModule>()
let forgetSources = () => {}

/**
 * From now on the project's modules come out of the bundle; `root` is the project's folder. Runs
 * none of its code. Stack traces that are written down name the sources. Rejects when the bundle cannot be read.
 */
export async function openBundle(file: string, root: string): Promise<void> {
  const { href } = pathToFileURL(file)
  resolvePackages()
  forgetSources = nameSourcesOf(href)
  const bundle: { modules: Record<string, BundledModule> } = await import(href)
  modules = new Map(Object.entries(bundle.modules).map(([path, one]) => [join(root, path), one]))
}

/** From now on modules do not come out of a bundle. */
export function closeBundle(): void {
  modules.clear()
  forgetSources()
}

/** `undefined`: the file is in no open bundle. */
export function bundledModule(file: string): BundledModule | undefined {
  return modules.get(file)
}

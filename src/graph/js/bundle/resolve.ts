/** How a bundle finds packages: an esbuild plugin. */
import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from 'esbuild'

interface PackageRules {
  /** Folders of packages that are not bundled; absolute. */
  external: readonly string[]
  /** The folder of the bundle; packages outside of it are imported by their path from there. */
  outputFolder: string
  /**
   * Whether every import is checked, which takes as long as all the rest. `false`: only imports with `?runyard-from`.
   * Then no package stays outside, and a missing one is an error even where the code can do without it.
   */
  isThorough: boolean
}

/** `<package>?runyard-from="<folder>"`: the package as a file in that folder would import it. */
const FROM = /^(.+)\?runyard-from=(".*")$/

export function resolvePackages(rules: PackageRules): Plugin {
  return {
    name: 'packages',
    setup(build) {
      build.onResolve({ filter: rules.isThorough ? /^[^./]/ : FROM }, async (args) => {
        if (args.pluginData === rules || isBuiltin(args.path)) return undefined
        return resolve(build, rules, args)
      })
    },
  }
}

async function resolve(
  build: PluginBuild,
  rules: PackageRules,
  args: OnResolveArgs,
): Promise<OnResolveResult | undefined> {
  const [, path = args.path, from] = FROM.exec(args.path) ?? []
  const resolveDir = from === undefined ? args.resolveDir : JSON.parse(from)
  const { kind, importer } = args
  const found = await build.resolve(path, {
    kind,
    importer,
    resolveDir,
    pluginData: rules,
    with: args.with,
  })
  if (found.errors.length > 0) {
    // Such an import fails only when it runs, as it does without a bundle.
    return kind === 'dynamic-import' || kind === 'require-call' ? { path, external: true } : found
  }
  if (found.external || !rules.external.some((folder) => found.path.startsWith(folder + sep))) {
    return found
  }
  const way = relative(rules.outputFolder, found.path).split(sep).join('/')
  return { path: way, external: true, sideEffects: found.sideEffects }
}

interface Manifest {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

const MODULES = `${sep}node_modules${sep}`

/** The folder of the package that a file belongs to; `undefined` for a file outside of `node_modules`. */
export function packageFolder(file: string): string | undefined {
  const at = file.lastIndexOf(MODULES)
  if (at < 0) return undefined
  const start = at + MODULES.length
  const [scope = '', name = ''] = file.slice(start).split(sep)
  return file.slice(0, start) + (scope.startsWith('@') ? join(scope, name) : scope)
}

/**
 * The folders, links resolved, of the package and of all that it may import: its dependencies, optional ones and peers,
 * theirs, and so on. Packages that are not installed are left out.
 */
export async function packageClosure(folder: string): Promise<string[]> {
  const found = new Set<string>()
  const waiting = [await realpath(folder)]
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (found.has(one)) continue
    found.add(one)
    for (const name of await dependenciesOf(one)) {
      const manifest = findInstalled(one, join(name, 'package.json'))
      if (manifest) waiting.push(await realpath(dirname(manifest)))
    }
  }
  return [...found]
}

async function dependenciesOf(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, 'package.json'), 'utf8')
  const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(text) as Manifest
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
}

/** The path below `node_modules`, looked for as Node does, from the folder upwards. */
export function findInstalled(from: string, path: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', path)
    if (existsSync(place)) return place
    if (dirname(folder) === folder) return undefined
  }
}

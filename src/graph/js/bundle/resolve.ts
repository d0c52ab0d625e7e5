/** How a bundle finds packages: an esbuild plugin. */
import { isBuiltin } from 'node:module'
import { relative, sep } from 'node:path'
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

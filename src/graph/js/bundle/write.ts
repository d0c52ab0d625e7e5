/**
 * A project's own modules and the packages that they import, written into one file. It imports in a
 * fifth of the time that the sources take, whose thousand files have to be found, read and compiled
 * one by one. `js/modules/loader.ts` takes modules out of it again.
 */
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import type { BuildFailure, BuildOptions, Metafile } from 'esbuild'
import type { ProjectConfig } from '../../../project/config.ts'
import { isJavascript } from '../../../project/module-spec.ts'
import { resolveInside } from '../../../project/path.ts'
import { findTsconfig } from '../../../project/tsconfig.ts'
import { TRACER_MODULE } from '../langgraph/langsmith-tracer.ts'
import { checkLangGraph, PACKAGE as LANGGRAPH } from '../modules/langgraph-package.ts'
import { packageHome } from '../modules/package-home.ts'
import { JSON_SCHEMA_MODULE } from '../schemas/runtime.ts'
import { embeddingsModule, embeddingsPackage } from '../store/embeddings.ts'
import { ENTRY, needOfPackages } from './alone.ts'
import { findOffences, IMPORTS, type Offence, OPEN_IMPORT } from './offences.ts'
import { BANNER, keepPlaces, namesPackages, PLACES } from './places.ts'
import { packageClosure, packageFolder, resolvePackages } from './resolve.ts'

type Bundling =
  | Written
  /** Nothing was written. `isBroken`: a file of the project itself cannot be found or parsed, so no start succeeds. */
  | { reason: string; isBroken?: boolean }

interface Written {
  file: string
  /** How many files are in it. */
  files: number
  bytes: number
  /** The packages that stay outside, by name. */
  external: string[]
  /** Their folders; absolute. */
  outside: string[]
  /** Why the project needs its other packages too, in words after a colon; `undefined`: it does not. */
  need: string | undefined
}

/** Packages that every graph needs; if one stays outside, a bundle gains nothing. */
const CORE = ['@langchain/core', LANGGRAPH, '@langchain/langgraph-checkpoint']

/** Where the bundle of the project of a `langgraph.json` is written. */
export function bundlePath(configPath: string): string {
  return join(dirname(configPath), 'node_modules', '.runyard', 'bundle.mjs')
}

/**
 * Writes the bundle without running any of the project's code. Returns the reason, and writes none, where a bundle
 * might behave differently from the sources: a file looks for others beside itself, or imports a module that is only
 * known at run time. A package that does so stays outside, with all its dependencies.
 */
export async function bundleProject(config: ProjectConfig): Promise<Bundling> {
  const file = bundlePath(config.path)
  try {
    return await write(config, file)
  } catch (cause) {
    await remove(file)
    const reason = firstError(cause)
    return cause instanceof BrokenFile ? { reason, isBroken: true } : { reason }
  }
}

async function write(config: ProjectConfig, file: string): Promise<Bundling> {
  const { build } = await import('esbuild')
  const modules = await modulesOf(config)
  const outputFolder = dirname(file)
  const maps = new Map<string, string>()
  const { metafile } = await build({
    ...optionsOf(config.root, modules),
    ...ownSources(modules),
    plugins: [keepPlaces({ outputFolder, importing: new Set(), maps })],
  }).catch((cause: unknown) => {
    const mapOf = (path: string) => maps.get(join(config.root, path))
    throw isBroken(cause) ? new BrokenFile(firstError(cause, mapOf)) : cause
  })
  const entry = await entryOf(config, modules, metafile)
  let { external, importing }: Exceptions = { external: [], importing: new Set() }
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    await mkdir(outputFolder, { recursive: true })
    const bundled = (isThorough: boolean) =>
      build({
        ...optionsOf(config.root, modules),
        stdin: { contents: entry, resolveDir: config.root, sourcefile: ENTRY },
        outfile: file,
        plugins: [
          resolvePackages({ external, outputFolder, isThorough }),
          keepPlaces({ outputFolder, importing }),
        ],
      })
    const isThorough = external.length > 0
    const made = isThorough ? await bundled(true) : await quickly(bundled)
    const offences = await findOffences(file, made)
    if (offences.length === 0) {
      const { bytes, inputs } = outputOf(made.metafile)
      const files = Object.keys(inputs).length
      const need =
        importing.size > 0
          ? 'a package imports what is only known when it runs'
          : await needOfPackages(config, made.metafile, external)
      return { file, bytes, files, external: namesOf(external), outside: external, need }
    }
    const found = await exceptFor(config.root, offences)
    if ('reason' in found) return refuse(file, found.reason)
    external = [...new Set([...external, ...found.external])]
    importing = new Set([...importing, ...found.importing])
  }
  return refuse(file, 'what has to stay outside of it is not clear')
}

/** Each pass may put further packages outside. */
const MAX_LOOKS = 4

/** Most projects need no thorough pass; it runs only after the quick one failed. */
async function quickly<T>(bundled: (isThorough: boolean) => Promise<T>): Promise<T> {
  try {
    return await bundled(false)
  } catch {
    return bundled(true)
  }
}

function optionsOf(root: string, modules: string[]) {
  const hasTsconfig = modules.some((file) => findTsconfig(dirname(join(root, file))))
  return {
    absWorkingDir: root,
    bundle: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    // The oldest Node that a project can ask for.
    target: 'node22',
    // LangChain recognizes classes by their names.
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'silent',
    logOverride: { [OPEN_IMPORT]: 'warning' },
    loader: { '.node': 'empty' },
    define: PLACES,
    banner: { js: BANNER },
    // Otherwise esbuild uses the `tsconfig.json` nearest to each file.
    ...(!hasTsconfig && { tsconfigRaw: '{}' }),
  } satisfies BuildOptions
}

/** Options of the build that finds which of the project's files are ES modules and which CommonJS. */
function ownSources(modules: string[]) {
  return {
    entryPoints: modules.map((file) => `./${file}`),
    write: false,
    outdir: '.',
    packages: 'external',
    sourcemap: false,
  } satisfies BuildOptions
}

/** The files that `langgraph.json` names, relative to the project's folder. */
async function modulesOf(config: ProjectConfig): Promise<string[]> {
  const { root, graphs, auth, http, store } = config
  const embed = store.index && embeddingsModule(store.index.embed)
  const embedFile = embed && (await resolveInside(config, embed.path, 'store.index.embed'))
  const specs = [...graphs, auth, http.app].flatMap((spec) =>
    spec && isJavascript(spec) ? [spec.file] : [],
  )
  return [
    ...new Set([...specs, ...(embedFile ? [embedFile] : [])].map((file) => wayTo(root, file))),
  ]
}

function wayTo(root: string, file: string): string {
  return relative(root, file).split(sep).join('/')
}

/**
 * The entry: each module by its path and, for a graph's module, the packages that the server asks for on its behalf
 * (the same copies that the module imports). Each is imported on request, so that an error is reported for its own
 * file.
 */
async function entryOf(
  config: ProjectConfig,
  files: string[],
  { inputs }: Metafile,
): Promise<string> {
  const embed = config.store.index && embeddingsPackage(config.store.index.embed)
  const own = [LANGGRAPH, JSON_SCHEMA_MODULE, TRACER_MODULE]
  const packages = [...own, ...(embed ? [embed] : [])]
  const graphs = new Set(
    config.graphs.filter(isJavascript).map(({ file }) => wayTo(config.root, file)),
  )
  const modules: string[] = []
  for (const file of files) {
    const verb = inputs[file]?.format === 'cjs' ? 'require' : 'import'
    const lines: string[] = []
    for (const name of packages) {
      const from = JSON.stringify(dirname(await packageHome(join(config.root, file), name)))
      const specifier = JSON.stringify(`${name}?runyard-from=${from}`)
      lines.push(`${JSON.stringify(name)}: async () => ${verb}(${specifier}),`)
    }
    const load = `load: async () => import(${JSON.stringify(`./${file}`)}),`
    // The start reports a LangGraph that fails this check.
    const version =
      graphs.has(file) && (await checkLangGraph(join(config.root, file)).catch(() => undefined))
    const checked = version ? `langgraphVersion: ${JSON.stringify(version)},\n` : ''
    modules.push(
      `${JSON.stringify(file)}: {\n${load}\n${checked}packages: {\n${lines.join('\n')}\n} },`,
    )
  }
  return `export const modules = {\n${modules.join('\n')}\n}\n`
}

/** Files that are not bundled as they are. */
interface Exceptions {
  /** Folders of packages that stay outside; absolute. */
  external: string[]
  /** Files whose computed `import()` is resolved from their own path (`places.ts`); absolute. */
  importing: ReadonlySet<string>
}

/** Returns the reason if there is no way. */
async function exceptFor(
  root: string,
  offences: Offence[],
): Promise<Exceptions | { reason: string }> {
  const external = new Set<string>()
  const importing = new Set<string>()
  for (const { file, what } of offences) {
    const folder = packageFolder(join(root, file))
    if (!folder) return { reason: `${file} uses ${what}` }
    const closure = await packageClosure(folder)
    const core = namesOf(closure).find((name) => CORE.includes(name))
    if (core && what === IMPORTS && (await namesPackages(join(root, file)))) {
      importing.add(join(root, file))
      continue
    }
    if (core) return { reason: `${file} uses ${what}, and its package depends on ${core}` }
    for (const one of closure) external.add(one)
  }
  return { external: [...external], importing }
}

function namesOf(folders: string[]): string[] {
  const names = folders.map((folder) => folder.split(`${sep}node_modules${sep}`).at(-1) ?? folder)
  return names.map((name) => name.split(sep).join('/')).toSorted()
}

/** A file of the project itself cannot be found or parsed. */
class BrokenFile extends Error {}

/** In a build of the project's own files. The sources may load what only esbuild does not take. */
function isBroken(cause: unknown): boolean {
  const { errors = [] } = cause as Partial<BuildFailure>
  return (
    errors.length > 0 &&
    errors.every(({ text }) => !ONLY_ESBUILD.test(text.replace(/"[^"]*"/g, '')))
  )
}

/** Of the text of an error without its quoted parts, which may be paths of the project. */
const ONLY_ESBUILD = /^No loader is configured|import attribute|import assertion|plugin/i

function outputOf({ outputs }: Metafile) {
  const found = Object.entries(outputs).find(([path]) => path.endsWith('.mjs'))
  if (!found) throw new Error('esbuild wrote nothing')
  return found[1]
}

async function refuse(file: string, reason: string): Promise<{ reason: string }> {
  await remove(file)
  return { reason }
}

async function remove(file: string): Promise<void> {
  for (const one of [file, `${file}.map`]) await rm(one, { force: true })
}

/** With the place in the source: `mapOf` returns the map of a file that was changed before esbuild read it. */
function firstError(cause: unknown, mapOf?: (path: string) => string | undefined): string {
  const [error] = (cause as Partial<BuildFailure>).errors ?? []
  if (!error) return cause instanceof Error ? cause.message : String(cause)
  const { text, location } = error
  if (!location) return text
  const map = mapOf?.(location.file)
  const found = map ? originalPositionFor(new TraceMap(map), location) : location
  const { line, column } = found.line === null ? location : found
  return `${location.file}:${line}:${column + 1}: ${text}`
}

/** A project's modules out of the file that `js/bundle/write.ts` wrote. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { nameSourcesBy, withSources } from '../../../core/named-sources.ts'
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

/** How many places are remembered, so that a failure that repeats does not read the map again. */
const MOST_PLACES = 1_000

/**
 * Names the sources of the bundle at `url` wherever this process writes a stack trace down, until the returned function
 * is called. The bundle's map lies beside it as `.map`. It is read for a trace with places that are not known yet, and
 * not kept: decoded, the map of a small graph takes 30 MB. If it cannot be read, traces name the bundle.
 */
export function nameSourcesOf(url: string): () => void {
  const known = new Map<string, string>()
  const forget = nameSourcesBy((stack) => {
    const [head = '', ...rest] = stack.split(`${url}:`)
    const places = rest.flatMap((text) => text.match(/^\d+:\d+/) ?? [])
    learn(url, known, new Set(places))
    const named = rest.map((text) =>
      text.replace(/^(?:\d+:\d+)?/, (place) => known.get(place) ?? `${url}:${place}`),
    )
    return head + named.join('')
  })
  process.on('uncaughtExceptionMonitor', nameInStack)
  return () => {
    forget()
    process.off('uncaughtExceptionMonitor', nameInStack)
  }
}

/** Node prints the stack of an exception that ends the process after it has called this. */
function nameInStack(error: unknown): void {
  if (error instanceof Error && error.stack) Reflect.set(error, 'stack', withSources(error.stack))
}

/** Adds the sources of those `places`, each `line:column`, that are not in `known`. */
function learn(url: string, known: Map<string, string>, places: ReadonlySet<string>): void {
  const missing = [...places].filter((place) => !known.has(place))
  if (missing.length === 0) return
  if (known.size > MOST_PLACES) known.clear()
  for (const place of missing) known.set(place, `${url}:${place}`)
  try {
    const map = new TraceMap(readFileSync(new URL(`${url}.map`), 'utf8'))
    for (const place of missing) known.set(place, sourceOf(map, url, place) ?? `${url}:${place}`)
  } catch {
    // Those places stay the bundle's.
  }
}

/** `undefined`: the place comes from no file. */
function sourceOf(map: TraceMap, url: string, place: string): string | undefined {
  const [line = 0, column = 0] = place.split(':').map(Number)
  const found = originalPositionFor(map, { line, column: column - 1 })
  const source = found.source === null ? null : URL.parse(found.source, url)
  if (source?.protocol !== 'file:' || found.column === null) return undefined
  return `${fileURLToPath(source)}:${found.line}:${found.column + 1}`
}

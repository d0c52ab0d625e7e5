/** Stack traces of a bundle, as they are written down: with the places of the sources. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { nameSourcesBy, withSources } from '../../../core/named-sources.ts'

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

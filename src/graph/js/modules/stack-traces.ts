/**
 * Stack traces that name the sources of a bundle. Node makes such traces too (`setSourceMapsEnabled`), but reads the
 * map when it loads the bundle, and parses all of it for the first trace.
 */
import { readFileSync } from 'node:fs'
import { findSourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'
import { LineMap, type Origin } from './source-map.ts'

/**
 * Names sources in all of this process, until the returned function is called. `url` is the bundle's; its map lies
 * beside it as `.map`, and is read for the first trace in which the bundle occurs. If it cannot be read, traces name
 * the bundle. For other files, sources are named where Node knows them, as without this.
 */
export function nameSourcesOf(url: string): () => void {
  let map: LineMap | null | undefined
  const originOf = (file: string, line: number, column: number) => {
    if (file !== url) return originByNode(file, line, column)
    if (map === undefined) map = readMap(`${url}.map`)
    return map?.originOf(line, column)
  }
  const nameSource = (frame: NodeJS.CallSite): string => {
    const text = frame.toString()
    const file = frame.getFileName()
    const line = frame.getLineNumber()
    const column = frame.getColumnNumber()
    if (!file || line === null || column === null) return text
    const place = placeOf(originOf(file, line, column), file)
    return place ? text.replace(`${file}:${line}:${column}`, () => place) : text
  }
  const prepare: typeof Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${nameSource(frame)}`)].join('\n')
  makeReleasingError()
  Error.prepareStackTrace = prepare
  return () => {
    if (Error.prepareStackTrace === prepare) Reflect.deleteProperty(Error, 'prepareStackTrace')
  }
}

/**
 * Node makes one error for all released readers, and builds its stack trace at once. Made here, it has no frame of a
 * bundle. Otherwise the map would be read for the first run, whose stream is released: a tenth of a second for a
 * project with langchain and deepagents.
 */
function makeReleasingError(): void {
  new ReadableStream().getReader().releaseLock()
}

/** `null`: the map cannot be read, and is not tried again. */
function readMap(url: string): LineMap | null {
  try {
    return new LineMap(readFileSync(new URL(url), 'utf8'))
  } catch {
    return null
  }
}

function originByNode(file: string, line: number, column: number): Origin | undefined {
  const origin = findSourceMap(file)?.findOrigin(line, column)
  if (!origin || !('fileName' in origin)) return undefined
  return { source: origin.fileName, line: origin.lineNumber, column: origin.columnNumber }
}

/** `undefined` if the origin is in no file. Never throws: a reader of a trace does not expect that. */
function placeOf(origin: Origin | undefined, file: string): string | undefined {
  if (!origin) return undefined
  const source = URL.parse(origin.source, file)
  if (source?.protocol !== 'file:') return undefined
  try {
    return `${fileURLToPath(source)}:${origin.line}:${origin.column}`
  } catch {
    return undefined
  }
}

/** The first line of a trace as Node writes it: with the code, for an error of Node's own. */
function headOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  const isNodes = typeof code === 'string' && error.toString !== Error.prototype.toString
  if (isNodes && code.startsWith('ERR_')) return `${error.name} [${code}]: ${error.message}`
  return Error.prototype.toString.call(error)
}

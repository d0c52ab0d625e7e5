/** Streams as raw bytes, made comparable. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { HEARTBEAT } from '../../../src/stream/response/sse.ts'
import { LANGUAGE, type Language } from './language.ts'

/** UUIDs, what LangGraph names interrupts by, and what became of them in a larger text. */
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b|<id \d+>/g
/** A frame's, and an event's of the protocol. */
const NUMBER = /\nid: \d+$|"event_id":"\d+","seq":\d+,/gm
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.(?:\d{3}Z|\d{6}\+00:00)/g

/** Each id becomes `<id N>`, numbered as they come up, each moment `<time>`. */
export function normalized(text: string): string {
  const ids = new Map<string, string>()
  const idOf = (id: string) => {
    const known = ids.get(id) ?? `<id ${ids.size + 1}>`
    ids.set(id, known)
    return known
  }
  return text.replace(ID, idOf).replace(TIME, '<time>')
}

/**
 * What is promised of a stream where things happen at once: each lane in its order. Which lane is ahead
 * is up to who is faster, and so are the numbers; the lanes come in the order of their texts.
 */
export function byLane(parts: string[], laneOf: (part: string) => string): string {
  const lanes = Map.groupBy(parts, laneOf)
  const texts = [...lanes.values()].map((lane) => normalized(lane.join('\n').replace(NUMBER, '')))
  return texts.toSorted().join('\n')
}

/** The whole frames of a stream's text, each with the blank line that ends it. */
export function framesOf(text: string): string[] {
  return text
    .split(/(?<=\n\n)/)
    .map((frame) => frame.replaceAll(HEARTBEAT, ''))
    .filter((frame) => frame.endsWith('\n\n'))
}

/**
 * What `test/golden` has under this name; with `UPDATE_GOLDEN=1` it has `actual` from now on. Of Python
 * graphs there is one in `test/golden/python` where it differs.
 */
export function golden(name: string, actual: string, language: Language = LANGUAGE): string {
  if (process.env.UPDATE_GOLDEN === '1') update(name, actual, language)
  return readGolden(name, language)
}

function update(name: string, actual: string, language: Language): void {
  const path = pathOf(name, language)
  rmSync(path, { force: true })
  if (readGolden(name, language) !== actual) writeFileSync(path, actual)
}

/** Empty when there is none. */
export function readGolden(name: string, language: Language = LANGUAGE): string {
  const own = pathOf(name, language)
  const path = existsSync(own) ? own : pathOf(name, 'javascript')
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function pathOf(name: string, language: Language): string {
  const folder = language === 'python' ? 'golden/python' : 'golden'
  return fileURLToPath(new URL(`../../${folder}/${name}.txt`, import.meta.url))
}

/** A stream that ends, without the heartbeats that a slow machine has more of. */
export async function readAll(response: Response): Promise<string> {
  return (await response.text()).replaceAll(HEARTBEAT, '')
}

/** Reads until `count` frames are there, then hangs up. */
export async function readFrames(response: Response, count: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    if (framesOf(text).length >= count) break
  }
  return framesOf(text).slice(0, count).join('')
}

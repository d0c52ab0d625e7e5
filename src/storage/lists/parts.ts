/**
 * Long JSON lists of one thread, such as a conversation's messages, taken apart: each item is kept once
 * a thread, however many versions of the list it is in.
 *
 * What stands for the list is a text with the hashes of its parts. Every eight items are a run, a part
 * whose bytes are their hashes; every eight runs are one of the next level, and so on. What is left over
 * on each level stands in the text, the highest level first: `RUN OF RUNS;RUN,RUN;ITEM,ITEM`. So a
 * version of a list of 400 takes a fifth of a kilobyte.
 */
import { hash } from 'node:crypto'
import type { Db, Statement } from '../db/db.ts'
import { insertStatements } from '../db/many-rows.ts'
import { joinJsonList } from './json-list.ts'

/** Where parts are kept: those of channels' values, and those of events. */
type PartTable = 'channel_parts' | 'event_parts'

const RUN_LENGTH = 8
/** Shorter lists, and those of short items, take less as they are. */
const MIN_ITEMS = 4
const MIN_ITEM_BYTES = 64
/** 128 bits: a thread would need 2^64 items for two to meet. */
const HASH_BYTES = 16

export interface Part {
  hash: string
  bytes: Uint8Array
}

/** Whether a list of so many items, that is so many bytes long, takes less in parts. */
export function isWorthParts(items: number, bytes: number): boolean {
  return items >= MIN_ITEMS && bytes >= items * MIN_ITEM_BYTES
}

/** The text that stands for the list of these items, and the parts that it needs. */
export function toParts(items: readonly Uint8Array[]): { text: string; parts: Part[] } {
  const parts = items.map(toPart)
  const levels: string[] = []
  for (let level = parts; level.length > 0; ) {
    const rest = level.length % RUN_LENGTH
    levels.unshift(toText(level.slice(level.length - rest)))
    level = toRuns(level.slice(0, level.length - rest))
    parts.push(...level)
  }
  return { text: levels.join(';'), parts }
}

function toRuns(level: Part[]): Part[] {
  const runs: Part[] = []
  for (let at = 0; at < level.length; at += RUN_LENGTH) {
    runs.push(toPart(Buffer.from(toText(level.slice(at, at + RUN_LENGTH)))))
  }
  return runs
}

function toText(parts: Part[]): string {
  return parts.map((part) => part.hash).join(',')
}

function toPart(bytes: Uint8Array): Part {
  const digest = hash('sha256', bytes, 'buffer')
  return { hash: digest.subarray(0, HASH_BYTES).toString('base64url'), bytes }
}

/** The statements that add these parts, but for those that are there. */
export function partStatements(
  table: PartTable,
  thread_id: string,
  parts: readonly Part[],
): Statement[] {
  const rows = parts.map((part) => [thread_id, part.hash, part.bytes])
  return insertStatements(table, ['thread_id', 'hash', 'bytes'], rows, 'ON CONFLICT DO NOTHING')
}

/** Puts lists of one thread together. Keeps what it has read: versions of a list share most of it. */
export class PartReader {
  readonly #tx: Db
  readonly #table: PartTable
  readonly #thread_id: string
  readonly #known = new Map<string, Uint8Array>()

  constructor(tx: Db, table: PartTable, thread_id: string) {
    this.#tx = tx
    this.#table = table
    this.#thread_id = thread_id
  }

  /** The lists that these texts stand for, as JSON, byte by byte what was taken apart. */
  async lists(texts: readonly string[]): Promise<Uint8Array[]> {
    const lists = await this.#itemsOf(texts)
    await this.#read(lists.flat())
    return lists.map((items) => joinJsonList(items.map((item) => this.#at(item))))
  }

  /** The hashes of every part that the lists of these texts need, each once: they share most of them. */
  async reachable(texts: readonly string[]): Promise<Set<string>> {
    const all = texts.map(levelsOf)
    const used = new Set<string>()
    let level = new Set<string>()
    for (let above = depthOf(all) - 1; above >= 0; above -= 1) {
      await this.#read([...level])
      const left = all.flatMap((levels) => levels.at(-1 - above) ?? [])
      level = new Set([...level].flatMap((run) => this.#below(run)).concat(left))
      for (const one of level) used.add(one)
    }
    return used
  }

  /** The hashes of each list's items, in order: level by level, for all of them together. */
  async #itemsOf(texts: readonly string[]): Promise<string[][]> {
    const all = texts.map(levelsOf)
    let lists: string[][] = all.map(() => [])
    for (let above = depthOf(all) - 1; above >= 0; above -= 1) {
      await this.#read(lists.flat())
      lists = lists.map((runs, one) => [
        ...runs.flatMap((run) => this.#below(run)),
        ...(all[one]?.at(-1 - above) ?? []),
      ])
    }
    return lists
  }

  async #read(hashes: string[]): Promise<void> {
    const unknown = [...new Set(hashes)].filter((one) => !this.#known.has(one))
    if (unknown.length === 0) return
    // By its key each, as `readValues` of `checkpoints/records.ts` does it.
    const sql = `
      SELECT wanted.key AS hash,
        (SELECT bytes FROM ${this.#table} WHERE thread_id = $1 AND hash = wanted.key) AS bytes
      FROM ${this.#tx.json.entries('$2')} AS wanted`
    const keys = Object.fromEntries(unknown.map((one) => [one, '']))
    const rows = await this.#tx.all<Part>(sql, [this.#thread_id, JSON.stringify(keys)])
    for (const row of rows) if (row.bytes !== null) this.#known.set(row.hash, row.bytes)
  }

  #below(run: string): string[] {
    return toHashes(Buffer.from(this.#at(run)).toString())
  }

  #at(one: string): Uint8Array {
    const bytes = this.#known.get(one)
    if (bytes) return bytes
    throw new Error(`Thread ${this.#thread_id} lacks the part ${one} in ${this.#table}.`)
  }
}

/** The highest first. */
function levelsOf(text: string): string[][] {
  return text.split(';').map(toHashes)
}

function depthOf(all: readonly string[][][]): number {
  return all.reduce((depth, levels) => Math.max(depth, levels.length), 0)
}

function toHashes(text: string): string[] {
  return text === '' ? [] : text.split(',')
}

/**
 * Removes the thread's parts that none of these texts needs: all that stand for a list of the thread's
 * in the table's rows. Nobody may be adding one: it names parts that are there already.
 */
export async function deletePartsBut(
  tx: Db,
  table: PartTable,
  thread_id: string,
  texts: readonly string[],
): Promise<void> {
  const used = await new PartReader(tx, table, thread_id).reachable(texts)
  await tx.run(`DELETE FROM ${table} WHERE thread_id = $1 AND hash NOT IN ${tx.json.texts('$2')}`, [
    thread_id,
    JSON.stringify([...used]),
  ])
}

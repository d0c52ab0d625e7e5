/**
 * Takes long lists of a thread apart, such as the messages of a conversation. Each item is stored once for the thread,
 * however many versions of the list have it.
 *
 * A text with the hashes of its parts replaces the list. Every eight items make a run, a part whose bytes are their
 * hashes. Every eight runs make a run of the next level, and so on. The rest of each level is in the text, the highest
 * level first: `RUN OF RUNS;RUN,RUN;ITEM,ITEM`. So a version of a list of 400 takes a fifth of a kilobyte.
 */
import { hash } from 'node:crypto'
import type { Db, Statement } from '../db/db.ts'
import { insertStatements } from '../db/many-rows.ts'

/** The tables of parts: those of channels' values, and those of events. */
type PartTable = 'channel_parts' | 'event_parts'

const RUN_LENGTH = 8
/** Shorter lists, and lists of shorter items, are smaller when stored whole, unless the list is large. */
const MIN_ITEMS = 4
const MIN_ITEM_BYTES = 64
const LARGE_LIST_BYTES = 16_384
/** 128 bits: a thread would need 2^64 items for two to collide. */
const HASH_BYTES = 16

export interface Part {
  hash: string
  bytes: Uint8Array
}

/** Whether a list with this many items and bytes is smaller in parts. */
export function isWorthParts(items: number, bytes: number): boolean {
  if (bytes >= LARGE_LIST_BYTES && items < MIN_ITEMS) return true
  return items >= MIN_ITEMS && bytes >= items * MIN_ITEM_BYTES
}

/** The text that replaces the list, and the parts that it needs. */
export function toParts(items: readonly Uint8Array[]): { text: string; parts: Part[] } {
  const ofItems = items.map(toPart)
  const all = [ofItems]
  const levels: string[] = []
  for (let level = ofItems; level.length > 0; ) {
    const rest = level.length % RUN_LENGTH
    levels.unshift(toText(level.slice(level.length - rest)))
    level = toRuns(level.slice(0, level.length - rest))
    all.push(level)
  }
  return { text: levels.join(';'), parts: all.flat() }
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

/** The statements that add these parts, unless they exist already. */
export function partStatements(
  table: PartTable,
  thread_id: string,
  parts: readonly Part[],
): Statement[] {
  const rows = parts.map((part) => [thread_id, part.hash, part.bytes])
  return insertStatements(table, ['thread_id', 'hash', 'bytes'], rows, 'ON CONFLICT DO NOTHING')
}

/** Outside a transaction: the part was removed with its list since the list was read. */
export class MissingPart extends Error {}

/**
 * Restores the lists of one thread. It keeps the parts that it has read, since versions of a list share
 * most of them.
 */
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

  /** The items of each list that these texts replace, in order, byte by byte as they were. */
  async items(texts: readonly string[]): Promise<Uint8Array[][]> {
    const lists = await this.#itemsOf(texts)
    await this.#read(lists.flat())
    return lists.map((items) => items.map((item) => this.#at(item)))
  }

  /** The hashes of all parts that the lists need, each once. */
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

  /** The hashes of each list's items, in order. Reads level by level, for all lists together. */
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
    // Looks up each part by its key, as `valueOfEntry` of `checkpoints/records.ts` does.
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
    throw new MissingPart(`Thread ${this.#thread_id} lacks the part ${one} in ${this.#table}.`)
  }
}

/** The levels of the text, the highest first. */
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
 * Deletes the thread's parts that none of these texts needs. `texts` are all texts of the thread in the table's rows.
 * No text may be added meanwhile, since it may refer to existing parts.
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

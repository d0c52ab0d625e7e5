/**
 * The values of channels that are long lists, such as a conversation's messages: each item is kept once
 * a thread, however many versions of the list it is in.
 *
 * Such a value's bytes are the hashes of its parts. Every eight items are a run, a part whose bytes are
 * their hashes; every eight runs are one of the next level, and so on. What is left over on each level
 * stands in the value, the highest level first: `RUN OF RUNS;RUN,RUN;ITEM,ITEM`. So a version of a list
 * of 400 takes a fifth of a kilobyte. What nothing refers to any more goes with the run that wrote it
 * (rollback), with `keepLatest` or with the thread.
 */
import { createHash } from 'node:crypto'
import type { ChannelValue } from '../core/checkpoint.ts'
import type { Db, SqlValue, Statement } from './db.ts'
import { joinJsonList, splitJsonList } from './json-list.ts'

/** The form of values that are kept in parts. */
export const IN_PARTS = 'parts:json'
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

/** The value as it is kept, with the parts that it needs; none for a value that is kept whole. */
export function takeApart(value: ChannelValue): { value: ChannelValue; parts: Part[] } {
  const items = value.type === 'json' ? splitJsonList(value.bytes) : undefined
  const isWorthIt = items && items.length >= MIN_ITEMS
  if (!isWorthIt || value.bytes.length < items.length * MIN_ITEM_BYTES) return { value, parts: [] }
  const parts = items.map(toPart)
  const levels: string[] = []
  for (let level = parts; level.length > 0; ) {
    const rest = level.length % RUN_LENGTH
    levels.unshift(toText(level.slice(level.length - rest)))
    level = toRuns(level.slice(0, level.length - rest))
    parts.push(...level)
  }
  return { value: { ...value, type: IN_PARTS, bytes: Buffer.from(levels.join(';')) }, parts }
}

function toRuns(level: Part[]): Part[] {
  const runs: Part[] = []
  for (let at = 0; at < level.length; at += RUN_LENGTH) {
    runs.push(toPart(Buffer.from(toText(level.slice(at, at + RUN_LENGTH)))))
  }
  return runs
}

function toText(parts: Part[]): string {
  return parts.map(({ hash }) => hash).join(',')
}

function toPart(bytes: Uint8Array): Part {
  const digest = createHash('sha256').update(bytes).digest()
  return { hash: digest.subarray(0, HASH_BYTES).toString('base64url'), bytes }
}

/** So many rows at most are added by one statement; fewer are added by powers of two, to have few texts. */
const MAX_ROWS = 64

/** The statements that add these parts, but for those that are there. */
export function partStatements(thread_id: string, parts: readonly Part[]): Statement[] {
  const statements: Statement[] = []
  for (let at = 0; at < parts.length; ) {
    const rows = Math.min(MAX_ROWS, 2 ** Math.floor(Math.log2(parts.length - at)))
    const params: SqlValue[] = [thread_id]
    const values = parts
      .slice(at, at + rows)
      .map(({ hash, bytes }) => `($1, $${params.push(hash)}, $${params.push(bytes)})`)
    const sql = `INSERT INTO channel_parts (thread_id, hash, bytes) VALUES ${values.join(', ')}
      ON CONFLICT DO NOTHING`
    statements.push({ sql, params })
    at += rows
  }
  return statements
}

/** Puts values of one thread together. Keeps what it has read: checkpoints share most of it. */
export class PartReader {
  readonly #tx: Db
  readonly #thread_id: string
  readonly #known = new Map<string, Uint8Array>()

  constructor(tx: Db, thread_id: string) {
    this.#tx = tx
    this.#thread_id = thread_id
  }

  async putTogether(values: readonly ChannelValue[]): Promise<ChannelValue[]> {
    const shared = values.filter(({ type }) => type === IN_PARTS)
    const lists = await this.#itemsOf(shared)
    await this.#read(lists.flat())
    return values.map((value) => {
      const hashes = lists[shared.indexOf(value)]
      if (!hashes) return value
      return { ...value, type: 'json', bytes: joinJsonList(hashes.map((hash) => this.#at(hash))) }
    })
  }

  /** The hashes of every part that these values, all in parts, need. */
  async reachable(values: readonly ChannelValue[]): Promise<string[]> {
    const items = await this.#itemsOf(values)
    // To find the items it has read all of the runs, and nothing else.
    return [...this.#known.keys(), ...items.flat()]
  }

  /** The hashes of each list's items, in order: level by level, for all of them together. */
  async #itemsOf(values: readonly ChannelValue[]): Promise<string[][]> {
    const all = values.map(levelsOf)
    const depth = Math.max(0, ...all.map((levels) => levels.length))
    let lists: string[][] = all.map(() => [])
    for (let above = depth - 1; above >= 0; above -= 1) {
      await this.#read(lists.flat())
      const below = (run: string) => toHashes(Buffer.from(this.#at(run)).toString())
      lists = lists.map((runs, one) => [
        ...runs.flatMap(below),
        ...(all[one]?.at(-1 - above) ?? []),
      ])
    }
    return lists
  }

  async #read(hashes: string[]): Promise<void> {
    const unknown = [...new Set(hashes)].filter((hash) => !this.#known.has(hash))
    if (unknown.length === 0) return
    // By its key each, as `readValues` does it.
    const sql = `
      SELECT wanted.key AS hash,
        (SELECT bytes FROM channel_parts WHERE thread_id = $1 AND hash = wanted.key) AS bytes
      FROM ${this.#tx.json.entries('$2')} AS wanted`
    const keys = Object.fromEntries(unknown.map((hash) => [hash, '']))
    const rows = await this.#tx.all<Part>(sql, [this.#thread_id, JSON.stringify(keys)])
    for (const { hash, bytes } of rows) if (bytes !== null) this.#known.set(hash, bytes)
  }

  #at(hash: string): Uint8Array {
    const bytes = this.#known.get(hash)
    if (bytes) return bytes
    throw new Error(`Thread ${this.#thread_id} lacks the part ${hash} of a channel's value.`)
  }
}

const LISTS_IN_PARTS = `
SELECT channel, version, type, bytes FROM channel_values WHERE thread_id = $1 AND type = $2`

/**
 * Removes the parts that none of the thread's values needs any more. Nobody may be writing to the thread:
 * a new value names parts that are there already.
 */
export async function deleteUnusedParts(tx: Db, thread_id: string): Promise<void> {
  const values = await tx.all<ChannelValue>(LISTS_IN_PARTS, [thread_id, IN_PARTS])
  const used = await new PartReader(tx, thread_id).reachable(values)
  await tx.run(
    `DELETE FROM channel_parts WHERE thread_id = $1 AND hash NOT IN ${tx.json.texts('$2')}`,
    [thread_id, JSON.stringify(used)],
  )
}

/** The highest level first. */
function levelsOf({ bytes }: ChannelValue): string[][] {
  return Buffer.from(bytes).toString().split(';').map(toHashes)
}

function toHashes(text: string): string[] {
  return text === '' ? [] : text.split(',')
}

/**
 * Stores the values of channels that are long lists in parts, which a thread's checkpoints share. Parts
 * that nothing refers to any more are deleted with the run that wrote them (rollback), by `keepLatest`,
 * or with the thread.
 */
import type { ChannelValue } from '../../core/agent/checkpoint.ts'
import { joinJsonList, splitJsonList } from '../../core/json-list.ts'
import type { Db } from '../db/db.ts'
import {
  deletePartsBut,
  isWorthParts,
  type Part,
  type PartReader,
  toParts,
} from '../lists/list-parts.ts'
import {
  closeMsgpackExtension,
  joinMsgpackList,
  openMsgpackExtension,
  splitMsgpackList,
} from '../lists/msgpack-list.ts'

/** Lists in one encoding. `join` makes byte by byte what `split` got. */
interface ListEncoding {
  /** The encoding of the whole list, by the name that its writer gave it. */
  type: string
  /** The type that is stored instead, for a value in parts. */
  inParts: string
  split(bytes: Uint8Array): Uint8Array[] | undefined
  join(items: readonly Uint8Array[]): Uint8Array
}

/** The extension type of a whole `DeltaChannel` value in LangGraph for Python. Source: its `jsonplus.py`. */
const SNAPSHOT = 7

const ENCODINGS: readonly ListEncoding[] = [
  { type: 'json', inParts: 'parts:json', split: splitJsonList, join: joinJsonList },
  { type: 'msgpack', inParts: 'parts:msgpack', split: splitMsgpackList, join: joinMsgpackList },
  {
    type: 'msgpack',
    inParts: 'parts:msgpack:snapshot',
    split(bytes) {
      const list = openMsgpackExtension(bytes, SNAPSHOT)
      return list && splitMsgpackList(list)
    },
    join: (items) => closeMsgpackExtension(joinMsgpackList(items), SNAPSHOT),
  },
]

/** Whether a value of this type, as it is stored, needs parts. */
export function isInParts(type: string): boolean {
  return encodingOf(type) !== undefined
}

/** The value as it is stored, with the parts that it needs. A value that is stored whole has none. */
export function takeApart(value: ChannelValue): { value: ChannelValue; parts: Part[] } {
  for (const { type, inParts, split } of ENCODINGS) {
    const items = value.type === type ? split(value.bytes) : undefined
    if (!items || !isWorthParts(items.length, value.bytes.length)) continue
    const { text, parts } = toParts(items)
    return { value: { ...value, type: inParts, bytes: Buffer.from(text) }, parts }
  }
  return { value, parts: [] }
}

/** The values as they were before `takeApart`. */
export async function putTogether(
  reader: PartReader,
  values: readonly ChannelValue[],
): Promise<ChannelValue[]> {
  const inParts = values.filter(({ type }) => isInParts(type))
  const lists = await reader.items(inParts.map(textOf))
  return values.map((value) => {
    const encoding = encodingOf(value.type)
    const items = lists[inParts.indexOf(value)]
    if (!encoding || !items) return value
    return { ...value, type: encoding.type, bytes: encoding.join(items) }
  })
}

function encodingOf(stored: string): ListEncoding | undefined {
  return ENCODINGS.find(({ inParts }) => inParts === stored)
}

const VALUES_IN_PARTS = `
SELECT channel, version, type, bytes FROM channel_values
WHERE thread_id = $1 AND type IN (${ENCODINGS.map(({ inParts }) => `'${inParts}'`).join(', ')})`

/**
 * Deletes the parts that none of the thread's values needs. Nothing may write to the thread meanwhile, since a new
 * value may refer to existing parts.
 */
export async function deleteUnusedParts(tx: Db, thread_id: string): Promise<void> {
  const values = await tx.all<ChannelValue>(VALUES_IN_PARTS, [thread_id])
  await deletePartsBut(tx, 'channel_parts', thread_id, values.map(textOf))
}

function textOf({ bytes }: ChannelValue): string {
  return Buffer.from(bytes).toString()
}

/**
 * The values of channels that are long lists are kept in parts, which a thread's checkpoints share. What
 * nothing refers to any more goes with the run that wrote it (rollback), with `keepLatest` or with the
 * thread.
 */
import type { ChannelValue } from '../../core/agent/checkpoint.ts'
import type { Db } from '../db/db.ts'
import { splitJsonList } from '../lists/json-list.ts'
import {
  deletePartsBut,
  isWorthParts,
  type Part,
  type PartReader,
  toParts,
} from '../lists/parts.ts'

/** The form of values that are kept in parts. */
export const IN_PARTS = 'parts:json'

/** The value as it is kept, with the parts that it needs; none for a value that is kept whole. */
export function takeApart(value: ChannelValue): { value: ChannelValue; parts: Part[] } {
  const items = value.type === 'json' ? splitJsonList(value.bytes) : undefined
  if (!items || !isWorthParts(items.length, value.bytes.length)) return { value, parts: [] }
  const { text, parts } = toParts(items)
  return { value: { ...value, type: IN_PARTS, bytes: Buffer.from(text) }, parts }
}

/** The values as they were before they were taken apart. */
export async function putTogether(
  reader: PartReader,
  values: readonly ChannelValue[],
): Promise<ChannelValue[]> {
  const inParts = values.filter(({ type }) => type === IN_PARTS)
  const lists = await reader.lists(inParts.map(textOf))
  return values.map((value) => {
    const bytes = lists[inParts.indexOf(value)]
    return bytes ? { ...value, type: 'json', bytes } : value
  })
}

const VALUES_IN_PARTS = `
SELECT channel, version, type, bytes FROM channel_values WHERE thread_id = $1 AND type = $2`

/**
 * Removes the parts that none of the thread's values needs any more. Nobody may be writing to the thread:
 * a new value names parts that are there already.
 */
export async function deleteUnusedParts(tx: Db, thread_id: string): Promise<void> {
  const values = await tx.all<ChannelValue>(VALUES_IN_PARTS, [thread_id, IN_PARTS])
  await deletePartsBut(tx, 'channel_parts', thread_id, values.map(textOf))
}

function textOf({ bytes }: ChannelValue): string {
  return Buffer.from(bytes).toString()
}

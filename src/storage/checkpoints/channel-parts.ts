/**
 * Stores the values of channels that are long lists in parts, which a thread's checkpoints share. Parts
 * that nothing refers to any more are deleted with the run that wrote them (rollback), by `keepLatest`,
 * or with the thread.
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

/** The encoding of values that are stored in parts. */
export const IN_PARTS = 'parts:json'

/** The value as it is stored, with the parts that it needs. A value that is stored whole has none. */
export function takeApart(value: ChannelValue): { value: ChannelValue; parts: Part[] } {
  const items = value.type === 'json' ? splitJsonList(value.bytes) : undefined
  if (!items || !isWorthParts(items.length, value.bytes.length)) return { value, parts: [] }
  const { text, parts } = toParts(items)
  return { value: { ...value, type: IN_PARTS, bytes: Buffer.from(text) }, parts }
}

/** The values as they were before `takeApart`. */
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
 * Deletes the parts that none of the thread's values needs. Nobody may be writing to the thread
 * meanwhile, since a new value may refer to existing parts.
 */
export async function deleteUnusedParts(tx: Db, thread_id: string): Promise<void> {
  const values = await tx.all<ChannelValue>(VALUES_IN_PARTS, [thread_id, IN_PARTS])
  await deletePartsBut(tx, 'channel_parts', thread_id, values.map(textOf))
}

function textOf({ bytes }: ChannelValue): string {
  return Buffer.from(bytes).toString()
}

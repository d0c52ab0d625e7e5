/**
 * Stores the long lists in events, above all the messages in `values`, in parts that a thread's events
 * share. So the log of a conversation does not grow with the square of its length.
 */
import type { ThreadEvent } from '../../core/agent/event.ts'
import { findJsonLists, joinJsonList } from '../../core/json-list.ts'
import { LARGE, ownTurn } from '../../core/turn.ts'
import type { Db } from '../db/db.ts'
import {
  deletePartsBut,
  isWorthParts,
  type Part,
  PartReader,
  toParts,
} from '../lists/list-parts.ts'

/** Shorter data is stored whole, in bytes: there is little to share. */
const MIN_BYTES = 2_048

/** The data of an event as it is stored. */
export interface KeptData {
  /** The data without its long lists; it is not JSON then. */
  data: string
  /** JSON of `TakenList[]`; `null`: the data is whole. */
  lists: string | null
  /** The parts that the lists need. */
  parts: Part[]
}

/** The byte position of the list in the remaining data, and the text that replaces it (`lists/parts.ts`). */
type TakenList = [at: number, text: string]

/** Takes the long lists out. `putListsBack` restores the data byte by byte. */
function takeListsOut(data: string): KeptData {
  if (data.length < MIN_BYTES) return { data, lists: null, parts: [] }
  const json = Buffer.from(data)
  const found = findJsonLists(json, isWorthParts)
  if (found.length === 0) return { data, lists: null, parts: [] }
  const taken: TakenList[] = []
  const left: Uint8Array[] = []
  const parts: Part[][] = []
  let length = 0
  let end = 0
  for (const list of found) {
    left.push(json.subarray(end, list.start))
    length += list.start - end
    end = list.end
    const made = toParts(list.items)
    taken.push([length, made.text])
    parts.push(made.parts)
  }
  left.push(json.subarray(end))
  const rest = Buffer.concat(left).toString()
  return { data: rest, lists: JSON.stringify(taken), parts: parts.flat() }
}

/** The same for the data of several events. */
export async function takeAllListsOut(events: readonly { data: string }[]): Promise<KeptData[]> {
  const kept: KeptData[] = []
  for (const { data } of events) {
    kept.push(takeListsOut(data))
    if (data.length > LARGE) await ownTurn()
  }
  return kept
}

/** A row of the `events` table. */
export interface EventRow extends ThreadEvent {
  lists: string | null
}

/** The columns of `EventRow`. */
export const EVENT_COLUMNS = [
  'thread_id',
  'seq',
  'run_id',
  'run_seq',
  'event',
  'data',
  'lists',
  'created_at',
] as const

/**
 * The events of these rows with their complete data. The rows are of one thread, and were read in the
 * same transaction.
 */
export async function putListsBack<T extends ThreadEvent>(
  tx: Db,
  rows: readonly EventRow[],
): Promise<T[]> {
  const taken = rows.map(takenOf)
  const reader = new PartReader(tx, 'event_parts', rows[0]?.thread_id ?? '')
  const lists = (await reader.items(taken.flat().map(textOf))).map(joinJsonList)
  return rows.map(({ lists: _, ...event }, i) => {
    const places = taken[i]?.map(([at]) => at) ?? []
    const data = putBack(event.data, places, lists.splice(0, places.length))
    return { ...event, data } as unknown as T
  })
}

function takenOf({ lists }: Pick<EventRow, 'lists'>): TakenList[] {
  return lists === null ? [] : JSON.parse(lists)
}

function textOf([, text]: TakenList): string {
  return text
}

function putBack(data: string, places: readonly number[], lists: readonly Uint8Array[]): string {
  if (places.length === 0) return data
  const left = Buffer.from(data)
  const pieces = lists.flatMap((list, i) => [left.subarray(places[i - 1] ?? 0, places[i]), list])
  return Buffer.concat([...pieces, left.subarray(places.at(-1))]).toString()
}

const LISTS = 'SELECT lists FROM events WHERE thread_id = $1 AND lists IS NOT NULL'

/**
 * Deletes parts that no event of the thread needs any more. The caller must lock the thread's counter, as
 * writers of events do, since new events may refer to existing parts.
 */
export async function deleteUnusedEventParts(tx: Db, thread_id: string): Promise<void> {
  const rows = await tx.all<Pick<EventRow, 'lists'>>(LISTS, [thread_id])
  await deletePartsBut(tx, 'event_parts', thread_id, rows.flatMap(takenOf).map(textOf))
}

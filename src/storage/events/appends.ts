/** Adds to the `events` table. The transaction that writes events also numbers them. */

import type { EventStore, NewEvent, RunEvent, ThreadEvent } from '../../core/agent/event.ts'
import { AppError } from '../../core/errors.ts'
import type { Db, SqlValue } from '../db/db.ts'
import { insertStatements } from '../db/many-rows.ts'
import { holdsLease } from '../leases/leases.ts'
import { type Part, partStatements } from '../lists/list-parts.ts'
import {
  EVENT_COLUMNS,
  type EventRow,
  type KeptData,
  putListsBack,
  takeAllListsOut,
} from './lists.ts'

const COUNT = `
INSERT INTO event_counters (thread_id, last_seq) VALUES ($1, $2)
ON CONFLICT (thread_id) DO UPDATE SET last_seq = event_counters.last_seq + excluded.last_seq
RETURNING last_seq`

const LAST_OF_RUN = 'SELECT coalesce(max(run_seq), -1) AS last FROM events WHERE run_id = $1'

const AT = `SELECT ${EVENT_COLUMNS.join(', ')} FROM events WHERE thread_id = $1 AND seq = $2`

/** Thrown so that the transaction is undone, and with it the numbers that were taken. */
const LOST = new AppError('conflict', 'The lease was lost.')

/** The run that writes, and the right to do so. */
type AppendTo = Parameters<EventStore['append']>[0]

/** The numbers of the first event of an append. */
interface FirstNumbers {
  seq: number
  run_seq: number
}

/**
 * See `EventStore.append`. Statements that do not need each other's results are sent together: on PostgreSQL two round
 * trips and the commit, instead of one for each event. Measured for 20 events of 200 bytes: on PostgreSQL 0.34 ms
 * instead of 0.78, on SQLite 0.055 ms instead of 0.041.
 */
export async function appendEvents(
  db: Db,
  to: AppendTo,
  events: NewEvent[],
): Promise<RunEvent[] | undefined> {
  const kept = await takeAllListsOut(events)
  const work = async (tx: Db) => {
    const held = to.lease ? holdsLease(tx, to.lease) : true
    const [isHeld, first] = await Promise.all([held, takeNumbers(tx, to, events.length)])
    if (!isHeld) throw LOST
    const logged = numbered(to, events, first)
    await insert(tx, logged, kept)
    return logged
  }
  try {
    return await db.transaction(work, [], areWritten)
  } catch (error) {
    if (error === LOST) return undefined
    throw error
  }
}

/** See `EventStore.areWritten`. If they were not written, other events may have got their numbers. */
export async function areWritten(tx: Db, [first]: readonly RunEvent[]): Promise<boolean> {
  if (!first) return true
  // Waits for transactions that number events of the thread, even its first ones.
  await takeSeqs(tx, first.thread_id, 0)
  const rows = await tx.all<EventRow>(AT, [first.thread_id, first.seq])
  const [found] = await putListsBack<RunEvent>(tx, rows)
  const keys = ['run_id', 'run_seq', 'event', 'data', 'created_at'] as const
  return found !== undefined && keys.every((key) => found[key] === first[key])
}

/**
 * Takes the thread's next `count` numbers, and returns the first. Until the transaction ends, no other one can add
 * events to the thread.
 */
async function takeSeqs(tx: Db, thread_id: string, count: number): Promise<number> {
  const counter = await tx.get<{ last_seq: number }>(COUNT, [thread_id, count])
  return (counter?.last_seq ?? count) - count + 1
}

/** The numbers of the run's next `count` events. */
async function takeNumbers(
  tx: Db,
  { thread_id, run_id }: AppendTo,
  count: number,
): Promise<FirstNumbers> {
  if (count === 0) return { seq: 0, run_seq: 0 }
  // The order matters: only the transaction that has the thread's next numbers writes to its runs.
  const [seq, ofRun] = await Promise.all([
    takeSeqs(tx, thread_id, count),
    tx.get<{ last: number }>(LAST_OF_RUN, [run_id]),
  ])
  return { seq, run_seq: (ofRun?.last ?? -1) + 1 }
}

function numbered(
  { thread_id, run_id, created_at }: AppendTo,
  events: readonly NewEvent[],
  first: FirstNumbers,
): RunEvent[] {
  let nextRunSeq = first.run_seq
  return events.map(({ event, data, isOfThreadOnly }, i) => {
    const run_seq = isOfThreadOnly ? null : nextRunSeq++
    return { thread_id, seq: first.seq + i, run_id, run_seq, event, data, created_at }
  })
}

/** See `EventStore.appendToThread`. */
export async function appendToThread(
  db: Db,
  { thread_id, created_at }: Parameters<EventStore['appendToThread']>[0],
  events: NewEvent[],
): Promise<void> {
  const kept = await takeAllListsOut(events)
  return db.transaction(async (tx) => {
    const firstSeq = await takeSeqs(tx, thread_id, events.length)
    const place = { thread_id, run_id: null, run_seq: null, created_at }
    const numbered = events.map((event, i) => ({ ...event, ...place, seq: firstSeq + i }))
    await insert(tx, numbered, kept)
  }, [])
}

/** Adds the parts first, so that a reader of an event finds all of it. */
async function insert(
  tx: Db,
  events: readonly ThreadEvent[],
  kept: readonly KeptData[],
): Promise<void> {
  const parts = new Map<string, Part>()
  for (const one of kept) for (const part of one.parts) parts.set(part.hash, part)
  const thread_id = events[0]?.thread_id ?? ''
  const rows = events.map((event, i) => rowOf(event, kept[i]))
  const statements = [
    ...partStatements('event_parts', thread_id, [...parts.values()]),
    ...insertStatements('events', EVENT_COLUMNS, rows),
  ]
  await Promise.all(statements.map(({ sql, params }) => tx.runAhead(sql, params)))
}

/** In the order of `EVENT_COLUMNS`. */
function rowOf(event: ThreadEvent, kept: KeptData | undefined): SqlValue[] {
  const { thread_id, seq, run_id, run_seq, created_at } = event
  const { data, lists } = kept ?? { data: event.data, lists: null }
  return [thread_id, seq, run_id, run_seq, event.event, data, lists, created_at]
}

/** Disk space of a turn of a conversation, early and when the conversation is long. */
import { randomUUID } from 'node:crypto'
import { compact, type Tables, tableSizes } from '../disk.ts'
import { ONE_SERVER, type OpenPlace, openPlace, type Place, saverName } from '../place.ts'
import type { Measured, OpenRow, Row } from '../row.ts'
import { type Talk, talk } from '../talk.ts'

/** Tables grow by pages: with several conversations, one page matters little. */
const CONVERSATIONS = 4
/** First and last turn of each part that is measured by itself. */
const EARLY: Turns = { from: 11, to: 30 }
const LATE: Turns = { from: 181, to: 200 }
const PARTS: Turns[] = [
  { from: 1, to: EARLY.from - 1 },
  EARLY,
  { from: EARLY.to + 1, to: LATE.from - 1 },
  LATE,
]
/** Events are kept for an hour after their run; the savers have none. */
const LOG = ['events', 'event_parts']

type Turns = Pick<Talk, 'from' | 'to'>

export const bytesRows: Row[] = ONE_SERVER.map((place) => ({
  name: `bytes${place.suffix}`,
  title: `bytes of ${place.title} for a turn, 200 characters and as many in answer`,
  unit: 'bytes',
  pairs: 1,
  open: () => openBytes(place),
}))

async function openBytes(place: Place): Promise<OpenRow> {
  const open = await openPlace(place)
  const ours: Conversations = {
    threads: Array.from({ length: CONVERSATIONS }, () => randomUUID()),
    converse: (part) => talk(part, (thread_id, text) => say(open, thread_id, text)),
    tables: { database: open.database, schema: 'runyard_agent' },
  }
  const savers: Conversations = {
    threads: [randomUUID()],
    converse: (part) => open.saver.ask<string>({ what: 'talk', ...part }),
    tables: { database: open.saverDatabase, schema: 'public' },
  }
  return {
    figure: () => bytesOfTurns(ours),
    floors: { [saverName(place)]: () => bytesOfTurns(savers) },
    close: open.close,
  }
}

async function say({ next }: OpenPlace, thread_id: string, text: string): Promise<void> {
  const path = `/threads/${thread_id}/runs/wait`
  const headers = { 'content-type': 'application/json' }
  const input = { messages: [{ role: 'user', content: text }] }
  const body = JSON.stringify({ assistant_id: 'echo', input, if_not_exists: 'create' })
  const response = await next().request({ method: 'POST', path, headers, body })
  const values = await response.body.text()
  if (!values.includes(`echo: ${text}`)) throw new Error(`It answered ${values}.`)
}

interface Conversations {
  threads: string[]
  converse(part: Talk): Promise<unknown>
  tables: Tables
}

/**
 * For one turn of one conversation: the bytes that stay, and the bytes on the disk at first, including
 * its events and the rows that it made obsolete.
 */
async function bytesOfTurns({ threads, converse, tables }: Conversations): Promise<Measured> {
  const stays: number[] = []
  const atFirst: number[] = []
  let before = await tableSizes(tables)
  for (const part of PARTS) {
    await converse({ threads, ...part })
    atFirst.push((sum(await tableSizes(tables)) - sum(before)) / threads.length)
    await compact(tables)
    const after = await tableSizes(tables)
    stays.push((sum(after, LOG) - sum(before, LOG)) / threads.length)
    before = after
  }
  return { ...perTurn(stays, ''), ...perTurn(atFirst, ' at first') }
}

/** `grown`: the growth in each of `PARTS`. */
function perTurn(grown: number[], suffix: string): Record<string, number> {
  const of = (part: Turns) => (grown[PARTS.indexOf(part)] ?? Number.NaN) / (part.to - part.from + 1)
  const all = grown.reduce((total, bytes) => total + bytes, 0)
  return {
    [`turn 20${suffix}`]: of(EARLY),
    [`turn 200${suffix}`]: of(LATE),
    [`average${suffix}`]: all / LATE.to,
  }
}

function sum(sizes: Map<string, number>, leftOut: readonly string[] = []): number {
  const counted = [...sizes].filter(([table]) => !leftOut.includes(table))
  return counted.reduce((total, [, bytes]) => total + bytes, 0)
}

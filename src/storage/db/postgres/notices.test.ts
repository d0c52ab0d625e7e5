import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../../test/support/eventually.ts'
import { freshPostgres } from '../../../../test/support/postgres/postgres.ts'
import { parseDatabaseUrl } from '../../../core/database-url.ts'
import type { Notice } from '../../../core/notices.ts'
import { PostgresNotices } from './notices.ts'

const CANCEL: Notice = { kind: 'cancel', run_id: 'a-run' }
const EVENTS: Notice = { kind: 'events', thread_id: 'a-thread', run_id: null }
const MISSED: Notice = { kind: 'missed' }

let listenString: string
let schema: string
const opened: PostgresNotices[] = []

beforeEach(async () => {
  const parsed = parseDatabaseUrl(await freshPostgres())
  listenString = parsed.listenString ?? ''
  schema = parsed.schema ?? ''
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

/** A server that listens, and the notices that it got. */
async function listening(of = schema) {
  const notices = new PostgresNotices(listenString, of)
  opened.push(notices)
  const heard: Notice[] = []
  notices.subscribe((notice) => heard.push(notice))
  await eventually(() => notices.isConnected).toBe(true)
  return { notices, heard }
}

test('the others hear what one tells, in order, and who tells does not', async () => {
  const [one, other, third] = [await listening(), await listening(), await listening()]
  one.notices.publish(CANCEL)
  one.notices.publish(EVENTS)
  await eventually(() => other.heard).toEqual([MISSED, CANCEL, EVENTS])
  await eventually(() => third.heard).toEqual([MISSED, CANCEL, EVENTS])
  expect(one.heard).toEqual([MISSED])
})

test('what is told often goes together, each once, and is never too long', async () => {
  const [one, other] = [await listening(), await listening()]
  const ids = Array.from({ length: 500 }, (_, i) => `${i}`.padStart(36, '0'))
  const told = ids.map((id): Notice => ({ kind: 'events', thread_id: id, run_id: id }))
  for (const notice of [...told, ...told]) one.notices.publish(notice)
  await eventually(() => other.heard.length).toBeGreaterThan(500)
  expect(other.heard).toEqual([MISSED, ...told])
})

test('servers of another schema hear nothing', async () => {
  const [one, other, foreign] = [await listening(), await listening(), await listening('foreign')]
  one.notices.publish(CANCEL)
  await eventually(() => other.heard).toEqual([MISSED, CANCEL])
  expect(foreign.heard).toEqual([MISSED])
})

test('a connection that was cut comes back, and says that something may have been missed', async () => {
  const [one, other] = [await listening(), await listening()]
  const client = new Client({ connectionString: listenString })
  await client.connect()
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'runyard notices' AND query LIKE '%' || $1`,
    [`LISTEN ${channelOf(other.notices)}`],
  )
  await client.end()
  await eventually(() => [one.heard, other.heard]).toEqual([
    [MISSED, MISSED],
    [MISSED, MISSED],
  ])
  one.notices.publish(CANCEL)
  await eventually(() => other.heard).toEqual([MISSED, MISSED, CANCEL])
})

test('one that was closed tells and hears nothing more', async () => {
  const [one, other] = [await listening(), await listening()]
  one.notices.publish(CANCEL)
  await one.notices.close()
  await one.notices.close()
  one.notices.publish(EVENTS)
  await eventually(() => other.heard).toEqual([MISSED, CANCEL])
  expect(one.notices.isConnected).toBe(false)
})

const channelOf = (notices: PostgresNotices) => notices.channel

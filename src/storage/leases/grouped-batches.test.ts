import { afterEach, beforeEach, expect, test } from 'vitest'
import { claimRun } from '../../../test/support/claim-run.ts'
import { RunWorld } from '../../../test/support/run-world.ts'
import type { Lease } from '../../core/agent/run.ts'
import type { Db } from '../db/db.ts'
import { openSqlite } from '../db/sqlite/db.ts'
import { GroupedBatches } from './grouped-batches.ts'

let world: RunWorld
let lease: Lease
let db: Db
let groups: GroupedBatches
const sizes: number[] = []

beforeEach(async () => {
  sizes.length = 0
  world = await RunWorld.open()
  await world.addRun()
  const now = Date.now()
  const claimed = await claimRun(world.store, {
    server_id: 's',
    now,
    lease_expires_at: now + 15_000,
  })
  lease = claimed?.lease ?? expect.fail('nothing was claimed')
  db = await openSqlite(world.path)
  await db.script('CREATE TABLE notes (text TEXT UNIQUE)')
  const counted = Object.create(db, {
    batch: {
      value: (...[statements, condition]: Parameters<Db['batch']>) => {
        sizes.push(statements.length)
        return db.batch(statements, condition)
      },
    },
  })
  groups = new GroupedBatches(counted)
})
afterEach(async () => {
  await db.close()
  await world.close()
})

const note = (text: string) => ({ sql: 'INSERT INTO notes (text) VALUES ($1)', params: [text] })
const texts = async () => (await db.all('SELECT text FROM notes')).map(({ text }) => text)

test('what is asked for in one turn is one batch, in order', async () => {
  const asked = [groups.write(lease, [note('a'), note('b')]), groups.write(lease, [note('c')])]
  await Promise.all(asked)
  await groups.write(lease, [note('d')])
  expect(sizes).toEqual([3, 1])
  expect(await texts()).toEqual(['a', 'b', 'c', 'd'])
})

test('a failure reaches all of its batch, and nobody after it', async () => {
  const asked = [groups.write(lease, [note('a')]), groups.write(lease, [note('a')])]
  for (const one of await Promise.allSettled(asked)) expect(one.status).toBe('rejected')
  await groups.write(lease, [note('b')])
  expect(await texts()).toEqual(['b'])
})

test('a lost lease writes nothing', async () => {
  const lost = { ...lease, token: lease.token - 1 }
  const asked = [groups.write(lost, [note('a')]), groups.write(lost, [note('b')])]
  for (const one of await Promise.allSettled(asked)) {
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } })
  }
  expect(await texts()).toEqual([])
})

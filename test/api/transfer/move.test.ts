/** What an agent server holds, moved to the other database and back. */
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { MIGRATIONS } from '../../../src/main/carrying/sides.ts'
import { openDb } from '../../../src/storage/open-db.ts'
import { refuseInUse } from '../../../src/storage/transfer/in-use.ts'
import {
  clearTarget,
  type MoveProgress,
  move,
  takeBack,
} from '../../../src/storage/transfer/move.ts'
import type { Side } from '../../../src/storage/transfer/side.ts'
import {
  type AgentLife,
  GONE_ON,
  goOnWith,
  liveWith,
  portraitOf,
} from '../../support/agent-life.ts'
import { startAgentServer, temporaryFolder } from '../../support/agent-server.ts'
import { freshPostgres } from '../../support/postgres.ts'

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
})

let lived: string
let files: Side
let postgres: Side
let life: AgentLife
let portrait: unknown

async function freshFiles(): Promise<Side> {
  const folder = await temporaryFolder()
  folders.push(folder)
  return sideOf('sqlite', join(folder, 'agent.db'))
}

function sideOf(dialect: Side['dialect'], where: string): Side {
  return { dialect, name: dialect, controlPlane: undefined, agentServer: () => where }
}

const placeOf = (side: Side) => side.agentServer('')

/** Runs an agent server there as long as `work` takes. */
async function serving<T>(
  side: Side,
  work: (server: Awaited<ReturnType<typeof startAgentServer>>) => Promise<T>,
): Promise<T> {
  const server = await startAgentServer({ database: placeOf(side) })
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

const nameOf = (at: MoveProgress) => ('table' in at ? `${at.step} ${at.table}` : at.step)

/** Stops the move at this step, as a kill would. */
async function stoppedAt(step: string): Promise<void> {
  const stopped = moving(files, postgres, (at) => {
    if (nameOf(at) === step) throw new Error(`stopped at ${step}`)
  })
  await expect(stopped).rejects.toThrow(`stopped at ${step}`)
}

const moving = (source: Side, target: Side, onProgress: (at: MoveProgress) => void = () => {}) =>
  move({ source, target, migrations: MIGRATIONS, onProgress })

beforeAll(async () => {
  lived = await temporaryFolder()
  await serving(sideOf('sqlite', join(lived, 'agent.db')), async ({ client }) => {
    life = await liveWith(client)
    portrait = await portraitOf(client)
  })
})

afterAll(() => rm(lived, { recursive: true, force: true }))

beforeEach(async () => {
  files = await freshFiles()
  await copyFile(join(lived, 'agent.db'), placeOf(files))
  postgres = sideOf('postgres', await freshPostgres())
})

test('all of it is the same on PostgreSQL and on SQLite again, and every thread goes on', async () => {
  const there = await moving(files, postgres)
  await serving(postgres, async ({ client }) => expect(await portraitOf(client)).toEqual(portrait))
  const again = await freshFiles()
  const back = await moving(postgres, again)
  expect(there.rows).toBeGreaterThan(100)
  expect(back.tables).toBe(there.tables)
  await serving(again, async ({ client }) => {
    expect(await portraitOf(client)).toEqual(portrait)
    expect(await goOnWith(client, life)).toEqual(GONE_ON)
  })
})

test('numbers that were given before are not given again', async () => {
  const add = `INSERT INTO run_timelines (run_id, created_at, entry)
    SELECT min(run_id), 0, '{}' FROM runs RETURNING seq`
  const numbered = async (side: Side, isKept: boolean) => {
    const db = await openDb(placeOf(side), '')
    const row = await db.get<{ seq: number }>(add)
    if (!isKept) await db.run('DELETE FROM run_timelines WHERE seq = $1', [row?.seq ?? 0])
    await db.close()
    return Number(row?.seq)
  }
  const first = await numbered(files, false)
  await moving(files, postgres)
  expect(await numbered(postgres, false)).toBe(first + 1)
  const again = await freshFiles()
  await moving(postgres, again)
  expect(await numbered(again, true)).toBe(first + 2)
})

test('vectors are compared as before', async () => {
  const distance = async (side: Side, isNew: boolean) => {
    const db = await openDb(placeOf(side), '')
    const { encode, cosineDistance } = await db.vectors()
    const add = `INSERT INTO store_item_vectors (namespace, key, field, dims, vector)
      SELECT namespace, key, '$', 3, $1 FROM store_items`
    if (isNew) await db.run(add, [encode([0.1, -0.7, 1 / 3])])
    const sql = `SELECT ${cosineDistance('vector', '$1')} AS far FROM store_item_vectors`
    const rows = await db.all<{ far: number }>(sql, [encode([1, 0.25, -3])])
    await db.close()
    return rows.map(({ far }) => Number(far.toFixed(5)))
  }
  const before = await distance(files, true)
  await moving(files, postgres)
  expect(before).toHaveLength(2)
  expect(await distance(postgres, false)).toEqual(before)
  const again = await freshFiles()
  await moving(postgres, again)
  expect(await distance(again, false)).toEqual(before)
})

test('neither side can be used until the move is complete, and then the source cannot', async () => {
  await stoppedAt('verify runs')
  for (const side of [files, postgres]) {
    const started = startAgentServer({ database: placeOf(side) })
    await expect(started).rejects.toMatchObject({
      code: 'conflict',
      message: /same "runyard move"/,
    })
  }
  await moving(files, postgres)
  const started = startAgentServer({ database: placeOf(files) })
  await expect(started).rejects.toMatchObject({ code: 'conflict', message: /was moved from/ })
  await expect(moving(files, postgres)).rejects.toMatchObject({ message: /was moved from/ })
  await serving(postgres, async ({ client }) => expect(await portraitOf(client)).toEqual(portrait))
})

test('who does not want the move any more goes on where everything was', async () => {
  await moving(files, postgres)
  expect(await takeBack(files)).toBe(1)
  await serving(files, async ({ client }) => expect(await goOnWith(client, life)).toEqual(GONE_ON))
})

test('stopped again and again, it goes on where it was', async () => {
  const steps = ['copy threads', 'copy events', 'copy store_items', 'verify threads', 'finish']
  for (const step of steps) await stoppedAt(step)
  await moving(files, postgres)
  await serving(postgres, async ({ client }) => expect(await portraitOf(client)).toEqual(portrait))
})

test('a target with content of its own is refused, and stays as it is', async () => {
  const mine = await serving(postgres, async ({ client }) => {
    await client.threads.create()
    return portraitOf(client)
  })
  await expect(moving(files, postgres)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('is not empty'),
  })
  await serving(postgres, async ({ client }) => expect(await portraitOf(client)).toEqual(mine))
  await serving(files, async ({ client }) => expect(await goOnWith(client, life)).toEqual(GONE_ON))
})

test.each([
  ['SQLite', () => files],
  ['PostgreSQL', () => postgres],
])(
  'an agent server that works on %s is noticed, and one that was killed is not',
  async (_, find) => {
    const side = find()
    await serving(side, async ({ store }) => {
      await expect(refuseInUse(side)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringMatching(/^An agent server .* is running/),
      })
      const killed = { server_id: 'killed', host: 'elsewhere', pid: 1, graphs: [] }
      const started_at = '2026-01-01T00:00:00Z'
      await store.servers.register({ ...killed, started_at, seen_at: Date.now() })
    })
    await refuseInUse(side)
  },
)

test('a source that was written to after its rows were copied is noticed', async () => {
  await stoppedAt('verify runs')
  const db = await openDb(placeOf(files), '')
  await db.run("UPDATE threads SET metadata = '{}' WHERE thread_id = $1", [life.asking])
  await db.close()
  await expect(moving(files, postgres)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/table threads .* not the same .* --replace/),
  })
  await clearTarget(files, postgres)
  await moving(files, postgres)
})

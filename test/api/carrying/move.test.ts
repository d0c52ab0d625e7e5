/** What an agent server holds, moved to the other database and back. */
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { MIGRATIONS } from '../../../src/main/carrying/sides.ts'
import { move, refuseInUse, takeBack } from '../../../src/storage/carrying/move.ts'
import type { Side } from '../../../src/storage/carrying/side.ts'
import { readHold, setHold } from '../../../src/storage/migrations/hold.ts'
import { openDb } from '../../../src/storage/open-db.ts'
import {
  type AgentLife,
  GONE_ON,
  goOnWith,
  liveWith,
  portraitOf,
} from '../../support/agent/agent-life.ts'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { freshPostgres } from '../../support/postgres/postgres.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
})

const lived = temporaryFolder()
let files: Side
let postgres: Side
let life: AgentLife
let portrait: unknown

async function freshFiles(): Promise<Side> {
  const folder = temporaryFolder()
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

/** Stops the move at this step or table, as a kill would. */
async function stoppedAt(step: string): Promise<void> {
  const stopped = moving(files, postgres, (at) => {
    if (at === step) throw new Error(`stopped at ${step}`)
  })
  await expect(stopped).rejects.toThrow(`stopped at ${step}`)
}

/** `onProgress` gets a step, `copying agent server`, and then each of its tables, `copying threads`. */
function moving(
  source: Side,
  target: Side,
  onProgress: (at: string) => void = () => {},
  replace = false,
) {
  let now = ''
  const progress = {
    step(name: string) {
      onProgress(name)
      now = name
    },
    table: (name: string) => onProgress(`${now.split(' ')[0]} ${name}`),
    rows() {},
  }
  return move({ source, target, migrations: MIGRATIONS, replace, progress })
}

beforeAll(async () => {
  await serving(sideOf('sqlite', join(lived, 'agent.db')), async ({ client }) => {
    life = await liveWith(client)
    portrait = await portraitOf(client)
  })
})

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
  await stoppedAt('comparing runs')
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

test('stopped again and again, it begins again and ends', async () => {
  const steps = ['threads', 'events', 'store_items'].map((table) => `copying ${table}`)
  for (const step of [...steps, 'comparing threads', 'finishing']) await stoppedAt(step)
  await moving(files, postgres)
  await serving(postgres, async ({ client }) => expect(await portraitOf(client)).toEqual(portrait))
})

test('stopped when all was compared, it does only the rest', async () => {
  await moving(files, postgres)
  const [from, to] = await Promise.all([files, postgres].map((side) => openDb(placeOf(side), '')))
  const { id = '', message = '' } = (from && (await readHold(from))) ?? {}
  if (to) await setHold(to, { reason: 'filled', id, message })
  for (const db of [from, to]) await db?.close()
  const steps: string[] = []
  const moved = await moving(files, postgres, (at) => steps.push(at))
  expect(steps).toEqual(['beginning again with 1 databases', 'finishing'])
  expect(moved.rows).toBeGreaterThan(100)
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

test('a source that is written to after its rows were copied is noticed', async () => {
  const written = moving(files, postgres, (at) => {
    if (at !== 'comparing agent server') return
    const db = new DatabaseSync(placeOf(files))
    db.prepare("UPDATE threads SET metadata = '{}' WHERE thread_id = ?").run(life.asking)
    db.close()
  })
  await expect(written).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/table threads .* not the same .* same command again/),
  })
  await moving(files, postgres)
})

test('what another move has left at the target is removed only with --replace', async () => {
  await stoppedAt('comparing runs')
  await takeBack(files)
  const other = { code: 'conflict', message: expect.stringContaining('--replace') }
  await expect(moving(files, postgres)).rejects.toMatchObject(other)
  await serving(files, async ({ client }) => expect(await portraitOf(client)).toEqual(portrait))
  await moving(files, postgres, () => {}, true)
})

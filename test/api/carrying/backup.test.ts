/** Backups of an agent server that works, and what is made of them on the same or the other database. */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { startBackup } from '../../../src/main/carrying/backup.ts'
import type { Reporter } from '../../../src/main/carrying/reporter.ts'
import { startRestore } from '../../../src/main/carrying/restore.ts'
import { readBackupConfig, readRestoreConfig } from '../../../src/settings/config.ts'
import { openDb } from '../../../src/storage/open-db.ts'
import {
  type AgentLife,
  GONE_ON,
  goOnWith,
  liveWith,
  portraitOf,
} from '../../support/agent/agent-life.ts'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { freshPostgres } from '../../support/postgres/postgres.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const SILENT: Reporter = { step() {}, table() {}, rows() {}, end() {} }
const SERVE = { isServe: true }

const folder = temporaryFolder()
let life: AgentLife
let portrait: unknown
let backup: string

/** Settings of a `serve` on SQLite in this folder, or on PostgreSQL. */
const settings = (dataDir: string, databaseUrl?: string) => ({
  RUNYARD_DATA_DIR: dataDir,
  ...(databaseUrl && { RUNYARD_DATABASE_URL: databaseUrl }),
})

const backUp = (env: Record<string, string>, to: string) =>
  startBackup(readBackupConfig({ to }, SERVE, env), { withKeys: false, reporter: SILENT })

const restore = (env: Record<string, string>, from: string, reporter = SILENT) =>
  startRestore(readRestoreConfig({}, SERVE, env), { from, reporter })

const databaseOf = (env: ReturnType<typeof settings>) =>
  env.RUNYARD_DATABASE_URL ?? join(env.RUNYARD_DATA_DIR, 'agent.db')

async function serving<T>(
  env: ReturnType<typeof settings>,
  work: (server: RunningAgentServer) => Promise<T>,
): Promise<T> {
  const server = await startAgentServer({ database: databaseOf(env) })
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

let next = 0
const place = async (isPostgres: boolean) => {
  next += 1
  const dataDir = join(folder, `restored-${next}`)
  return settings(dataDir, isPostgres ? await freshPostgres() : undefined)
}

beforeAll(async () => {
  backup = join(folder, 'backup.tar.gz')
  const env = settings(join(folder, 'lived'))
  await mkdir(env.RUNYARD_DATA_DIR)
  await serving(env, async ({ client }) => {
    life = await liveWith(client)
    portrait = await portraitOf(client)
    await backUp(env, backup)
  })
})

test('is readable by its owner only, and an archive that tar reads', async () => {
  expect((await stat(backup)).mode & 0o777).toBe(0o600)
  const { run } = await import('../../support/processes/program.ts')
  const names = (await run('tar', ['-tzf', backup])).trim().split('\n')
  expect(names.at(0)).toBe('backup.json')
  expect(names.at(-1)).toBe('manifest.json')
  expect(names).toContain('databases/agent-server/threads/000001.jsonl')
})

test('is not written over another file', async () => {
  const env = settings(join(folder, 'lived'))
  await expect(backUp(env, backup)).rejects.toMatchObject({ code: 'conflict' })
  const { where } = await backUp(env, `${folder}/many/`)
  expect(where).toMatch(/\/many\/runyard-\d{8}T\d{6}Z\.tar\.gz$/)
})

test.each([
  ['SQLite', false],
  ['PostgreSQL', true],
])('is restored on %s with all that was there, and every thread goes on', async (_, isPostgres) => {
  const env = await place(isPostgres)
  const restored = await restore(env, backup)
  expect(restored.rows).toBeGreaterThan(100)
  await serving(env, async ({ client }) => expect(await portraitOf(client)).toEqual(portrait))
  const again = join(folder, `again-${next}.tar.gz`)
  await backUp(env, again)
  const back = await place(!isPostgres)
  await restore(back, again)
  await serving(back, async ({ client }) => {
    expect(await portraitOf(client)).toEqual(portrait)
    expect(await goOnWith(client, life)).toEqual(GONE_ON)
  })
})

test('that was begun and not ended cannot be used, and is begun again', async () => {
  const env = await place(false)
  const stopped = {
    ...SILENT,
    step: (name: string) => {
      if (name.startsWith('comparing')) throw new Error('stopped')
    },
  }
  await expect(restore(env, backup, stopped)).rejects.toThrow('stopped')
  const started = startAgentServer({ database: databaseOf(env) })
  await expect(started).rejects.toMatchObject({ message: /same "runyard restore"/ })
  await restore(env, backup)
  await serving(env, async ({ client }) => expect(await portraitOf(client)).toEqual(portrait))
})

test('is refused where there is something already', async () => {
  const env = settings(join(folder, 'lived'))
  await expect(restore(env, backup)).rejects.toMatchObject({
    code: 'conflict',
    message: /not empty/,
  })
})

test('is refused for the other kind of installation', async () => {
  const config = readRestoreConfig({}, { isServe: false }, await place(false))
  const restoring = startRestore(config, { from: backup, reporter: SILENT })
  await expect(restoring).rejects.toMatchObject({ code: 'bad_request', message: /--serve/ })
})

test('of nothing is refused, and leaves no file', async () => {
  const env = settings(join(folder, 'absent'))
  const to = join(folder, 'nothing.tar.gz')
  await expect(backUp(env, to)).rejects.toMatchObject({
    code: 'conflict',
    message: /nothing to carry/,
  })
  await expect(stat(to)).rejects.toThrow('ENOENT')
  await expect(stat(databaseOf(env))).rejects.toThrow('ENOENT')
})

test('of a database without a table yet is refused', async () => {
  const env = settings(join(folder, 'just-made'))
  await (await openDb(databaseOf(env), '')).close()
  await expect(backUp(env, join(folder, 'just-made.tar.gz'))).rejects.toMatchObject({
    code: 'conflict',
    message: /nothing to carry/,
  })
})

describe('one that is not as it was written', () => {
  /** The archive without compression, changed. */
  async function changed(change: (bytes: Buffer) => Buffer): Promise<string> {
    next += 1
    const [raw, path] = [join(folder, `${next}.tar`), join(folder, `${next}.tar.gz`)]
    await pipeline(createReadStream(backup), createGunzip(), createWriteStream(raw))
    await writeFile(raw, change(await readFile(raw)))
    await pipeline(createReadStream(raw), createGzip(), createWriteStream(path))
    return path
  }

  const flipped = (bytes: Buffer, text: string, by: string) => {
    const at = bytes.indexOf(text)
    expect(at).toBeGreaterThan(0)
    bytes.write(by, at)
    return bytes
  }

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut off', (bytes) => bytes.subarray(0, bytes.length / 2)],
    [
      'cut off behind a file',
      (bytes) => Buffer.concat([bytes.subarray(0, 512 * 2), Buffer.alloc(1024)]),
    ],
    ['changed in a row', (bytes) => flipped(bytes, 'Refund', 'Refuse')],
    ['changed in a text', (bytes) => flipped(bytes, 'morning', 'evening')],
    ['changed in a header', (bytes) => flipped(bytes, 'databases/', 'databasez/')],
    ['of another form', (bytes) => flipped(bytes, '"format": 1', '"format": 7')],
    ['empty', () => Buffer.alloc(1024)],
  ])('is refused before anything is written: %s', async (_, change) => {
    const env = await place(false)
    await expect(restore(env, await changed(change))).rejects.toMatchObject({ code: 'bad_request' })
    await expect(stat(env.RUNYARD_DATA_DIR)).rejects.toThrow('ENOENT')
  })

  test('is refused when it is no archive at all', async () => {
    const path = join(folder, 'text.tar.gz')
    await writeFile(path, 'not an archive')
    await expect(restore(await place(false), path)).rejects.toMatchObject({ code: 'bad_request' })
    const absent = restore(await place(false), join(folder, 'none.tar.gz'))
    await expect(absent).rejects.toMatchObject({ code: 'not_found' })
  })
})

test('made again and again while runs go on, none has half of a run', async () => {
  const env = settings(join(folder, 'busy'))
  await mkdir(env.RUNYARD_DATA_DIR)
  const made: string[] = []
  await serving(env, async ({ client }) => {
    const { thread_id } = await client.threads.create()
    const runs = Array.from({ length: 15 }, (_, i) =>
      client.runs.wait(thread_id, 'slow', {
        input: { label: `run ${i}`, count: 3, ms: 1 },
        multitaskStrategy: 'enqueue',
      }),
    )
    const work = Promise.all(runs)
    let isOver = false
    void work.then(() => {
      isOver = true
    })
    while (!isOver && made.length < 3) {
      const to = join(folder, `busy-${made.length}.tar.gz`)
      await backUp(env, to)
      made.push(to)
    }
    await work
  })
  expect(made.length).toBeGreaterThan(0)
  for (const from of made) {
    const there = await place(false)
    await restore(there, from)
    await expectWhole(databaseOf(there))
    await serving(there, async ({ client }) => {
      const [thread] = await client.threads.search({ limit: 1 })
      const { thread_id = '' } = thread ?? {}
      const begun = await client.runs.list(thread_id, { limit: 100 })
      for (const { run_id } of begun) await client.runs.join(thread_id, run_id)
      const ended = await client.runs.list(thread_id, { limit: 100 })
      expect(ended.map(({ status }) => status)).toEqual(begun.map(() => 'success'))
      const { values } = await client.threads.getState<{ steps?: string[] }>(thread_id)
      expect(values.steps?.length ?? 0).toBe(begun.length * 3)
    })
  }
})

/** What a run's end writes, it writes together. */
async function expectWhole(file: string): Promise<void> {
  const db = await openDb(file, '')
  const broken = await db.all(`
    SELECT r.run_id, r.status FROM runs AS r
    WHERE (r.status IN ('success', 'error', 'interrupted', 'timeout')) <>
      EXISTS (SELECT 1 FROM events AS e WHERE e.run_id = r.run_id AND e.event = '__end__')`)
  const gaps = await db.all(`
    SELECT thread_id FROM events GROUP BY thread_id HAVING max(seq) - min(seq) + 1 <> count(*)`)
  await db.close()
  expect([broken, gaps]).toEqual([[], []])
}

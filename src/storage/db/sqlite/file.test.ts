import { linkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { DatabaseAway } from '../../../core/errors.ts'
import { openAgentStore } from '../../agent/store.ts'
import { SqliteConnection } from './connection.ts'
import { DatabaseFile } from './file.ts'

let dir: string
let path: string
beforeEach(() => {
  dir = temporaryFolder()
  path = join(dir, 'agent.db')
})

describe('a database file that is removed while it is in use', () => {
  it('is found out, and found again when it comes back', async () => {
    const store = await openAgentStore(path)
    const outcome = () => store.checkWrites().catch((error: Error) => error)
    expect(await outcome()).toBeUndefined()
    renameSync(path, `${path}.away`)
    await expect.poll(outcome).toBeInstanceOf(DatabaseAway)
    expect(store.isGone()).toBe(true)
    await expect(store.transaction((tx) => tx.ping())).rejects.toThrow(path)
    renameSync(`${path}.away`, path)
    await expect.poll(outcome).toBeUndefined()
    await store.close()
  })

  it('is found out where what is in its place cannot be looked at', async () => {
    const store = await openAgentStore(path)
    const outcome = () => store.ping().catch((error: Error) => error)
    rmSync(path)
    symlinkSync(path, path)
    await expect.poll(outcome).toBeInstanceOf(DatabaseAway)
    await store.close()
  })

  it('is not taken for another one in its place, nor for one without its journal', async () => {
    for (const change of [() => writeFileSync(path, ''), () => {}]) {
      const store = await openAgentStore(path)
      rmSync(`${path}-wal`)
      rmSync(path)
      change()
      await expect.poll(() => store.isGone()).toBe(true)
      await store.close()
    }
  })
})

it('a database file is not gone for one who opens it while the last other one closes it', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const other = new SqliteConnection(path)
    other.configure()
    other.script('CREATE TABLE notes (id INTEGER)')
    const connection = new SqliteConnection(path)
    // Kept under another name, so that the next journal is certainly another file.
    linkSync(`${path}-wal`, `${path}-wal.kept`)
    other.close()
    connection.configure()
    connection.script('DROP TABLE notes')
    vi.advanceTimersByTime(1_001)
    expect(connection.isGone).toBe(false)
    connection.close()
  } finally {
    vi.useRealTimers()
  }
})

it('a database file whose disk was full takes writes when there is room for more than a few pages', () => {
  let room = 0
  const file = new DatabaseFile(path, () => room)
  file.requireRoom()
  const full = Object.assign(new Error('database or disk is full'), { errcode: 13 })
  expect(file.refusal(full)).toBeInstanceOf(DatabaseAway)
  expect(file.refusal(full)).toMatchObject({
    message: expect.stringContaining(`Make room in ${dir}`),
  })
  for (room of [0, 2 ** 20]) expect(() => file.requireRoom()).toThrow(DatabaseAway)
  room = 2 ** 30
  file.requireRoom()
  room = 0
  file.requireRoom()
})

describe('a database file that cannot be opened', () => {
  const refusal = () =>
    openAgentStore(path).then(
      () => 'opened',
      ({ message }: Error) => message,
    )

  it('is named in the sentence that says it is no database', async () => {
    writeFileSync(path, 'some text '.repeat(1_000))
    expect(await refusal()).toMatch(`The database ${path} is damaged, or is not a database`)
  })

  it('is named in the sentence that says it is damaged', async () => {
    await (await openAgentStore(path)).close()
    const file = await open(path, 'r+')
    await file.write(Buffer.alloc(200_000, 7), 0, 200_000, 4_096)
    await file.close()
    expect(await refusal()).toMatch(`The database ${path} is damaged`)
  })

  it('is named in the sentence that says it is a folder', async () => {
    path = dir
    expect(await refusal()).toMatch(`The database ${dir} cannot be opened: EISDIR`)
  })
})

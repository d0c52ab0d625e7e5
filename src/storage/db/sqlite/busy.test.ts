import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { whileBusy } from './busy.ts'

let folder: string
let path: string
let holder: DatabaseSync
let other: DatabaseSync

beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'test.db')
  holder = new DatabaseSync(path)
  other = new DatabaseSync(path)
  holder.exec('CREATE TABLE notes (id INTEGER); BEGIN IMMEDIATE')
})

afterEach(() => {
  holder.close()
  other.close()
})

const write = () => other.prepare('INSERT INTO notes VALUES (1)').run().changes

test('a write goes through once the lock is let go, and the process works on meanwhile', async () => {
  let tries = 0
  const written = whileBusy(path, () => {
    tries += 1
    if (tries === 5) holder.exec('COMMIT')
    return write()
  })
  expect(await written).toBe(1)
  expect(tries).toBe(5)
})

test('a lock that is kept is refused with the file’s name', async () => {
  await expect(whileBusy(path, write, 20)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(path),
  })
})

test('other errors are thrown at once, as they are', async () => {
  const wrong = whileBusy(path, () => other.prepare('SELECT absent FROM notes').get())
  await expect(wrong).rejects.toThrow('no such column')
})

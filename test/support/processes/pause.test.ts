import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'
import { endTogether } from './end-together.ts'
import { pause } from './pause.ts'

let folder: string
let path: string
let writer: ChildProcess
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'a.db')
})
afterEach(async () => {
  const gone = once(writer, 'exit')
  writer.kill('SIGKILL')
  await gone
})

const stop = (signal: 'SIGSTOP') => void writer.kill(signal)

/** As Linux tells it. */
const isStopped = async () =>
  /^State:\tT/m.test(await readFile(`/proc/${writer.pid}/status`, 'utf8'))

/** Holds a lock for so long, again and again, with half of that in between. */
async function startWriter(heldMs: number): Promise<void> {
  const script = `
    import { DatabaseSync } from 'node:sqlite'
    const db = new DatabaseSync(${JSON.stringify(path)}, { timeout: 10_000 })
    db.exec('PRAGMA journal_mode = WAL')
    const spin = (ms) => {
      const end = performance.now() + ms
      while (performance.now() < end);
    }
    for (let turn = 0; ; turn += 1) {
      db.exec('BEGIN IMMEDIATE')
      if (turn === 0) console.log('it has begun')
      spin(${heldMs})
      db.exec('COMMIT')
      spin(${heldMs / 2})
    }`
  const args = ['--input-type=module', '--eval', script]
  writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  endTogether(writer, 'SIGKILL')
  if (writer.stdout) await once(writer.stdout, 'data')
}

test('a process is stopped between two of its transactions', async () => {
  await startWriter(2)
  await pause(stop, path)
  // One that waits for a processor is told so only when it gets one; it does nothing more there.
  await expect.poll(isStopped).toBe(true)
  const db = new DatabaseSync(path)
  db.exec('BEGIN IMMEDIATE; ROLLBACK')
  db.close()
})

test('one that does not end its transaction is not stopped, which is told', async () => {
  await startWriter(60_000)
  await expect(pause(stop, path, 100)).rejects.toThrow(/ was locked by another process for 100 ms/)
  expect(await isStopped()).toBe(false)
})

test('what is no lock is told as it is, at once', async () => {
  await startWriter(2)
  const other = join(folder, 'other.db')
  await writeFile(other, 'no database at all')
  await expect(pause(stop, other)).rejects.toThrow('file is not a database')
  expect(await isStopped()).toBe(false)
})

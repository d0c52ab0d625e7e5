import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { lockFolder } from './folder-lock.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'runyard-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('refuses a second holder and lets the next one in afterwards', () => {
  const file = join(folder, 'lock.db')
  const release = lockFolder(file)
  expect(() => lockFolder(file)).toThrow('Another Runyard is using this data folder')
  release()
  lockFolder(file)()
})

it('is free again when its holder was killed', async () => {
  const file = join(folder, 'lock.db')
  const source = `
    const { lockFolder } = await import(${JSON.stringify(join(import.meta.dirname, 'folder-lock.ts'))})
    lockFolder(${JSON.stringify(file)})
    console.log('locked')
    setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', source])
  await once(holder.stdout, 'data')
  expect(() => lockFolder(file)).toThrow('Another Runyard')
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  lockFolder(file)()
})

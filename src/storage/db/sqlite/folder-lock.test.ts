import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { lockFolder } from './folder-lock.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

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

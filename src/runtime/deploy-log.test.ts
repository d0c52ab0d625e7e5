import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { silentLog } from '../core/log.ts'
import { DeployLog } from './deploy-log.ts'

const clock = { now: () => 0 }
let dir: string
beforeEach(() => {
  dir = temporaryFolder()
})

it('adds to the file of an earlier process', async () => {
  const path = join(dir, 'new', 'deploy.log')
  for (const text of ['first', 'second']) {
    const log = new DeployLog({ path, maxBytes: 1000, clock, log: silentLog })
    log.line(text)
    log.close()
    await expect.poll(() => readFile(path, 'utf8')).toContain(text)
  }
  expect(await readFile(path, 'utf8')).toBe(
    '1970-01-01T00:00:00.000Z first\n1970-01-01T00:00:00.000Z second\n',
  )
})

it('begins a new file when one is full, and keeps only the one before', async () => {
  const path = join(dir, 'deploy.log')
  const log = new DeployLog({ path, maxBytes: 300, clock, log: silentLog })
  for (let i = 1; i <= 100; i++) log.line(`line ${i}`)
  log.close()
  await expect.poll(() => readFile(path, 'utf8')).toContain('line 100\n')
  const [before, now] = await Promise.all([readFile(`${path}.1`, 'utf8'), readFile(path, 'utf8')])
  expect(before.length).toBeLessThan(400)
  expect(now.length).toBeLessThan(400)
  const first = Number(/line (\d+)/.exec(now)?.[1])
  expect(before).toContain(`line ${first - 1}\n`)
})

it('keeps the last 20 lines of a process for reasons', () => {
  const log = new DeployLog({ path: join(dir, 'a.log'), maxBytes: 1e6, clock, log: silentLog })
  for (let i = 1; i <= 30; i++) log.line(`line ${i}`)
  expect(log.tail()).toHaveLength(20)
  expect(log.tail().at(-1)).toBe('line 30')
  log.forget()
  expect(log.tail()).toEqual([])
  log.close()
})

it('keeps the last lines even where the file cannot be written', () => {
  const log = new DeployLog({
    path: join(process.execPath, 'log'),
    maxBytes: 1e6,
    clock,
    log: silentLog,
  })
  log.line('still here')
  expect(log.tail()).toEqual(['still here'])
  log.close()
})

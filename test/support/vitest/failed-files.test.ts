import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { run } from '../processes/program.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const root = resolve(import.meta.dirname, '../../..')
const GOOD = `test('is good', () => {})`
const BAD = `test('is bad', () => { throw new Error('bad') })`

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

test('the files that have failed are written down, with their project', async () => {
  expect(await failedFilesOf({ good: GOOD, bad: BAD })).toBe('some\tbad.test.js\n')
})

test('an error of no test has nothing written down', async () => {
  const stray = `test('is left', () => { setTimeout(() => { throw new Error('stray') }, 1) })
    afterAll(() => new Promise((resolve) => setTimeout(resolve, 100)))`
  expect(await failedFilesOf({ bad: BAD, stray })).toBeUndefined()
})

async function failedFilesOf(tests: Record<string, string>): Promise<string | undefined> {
  const path = join(folder, 'failed')
  const reporter = join(root, 'test/support/vitest/failed-files.ts')
  const options = { name: 'some', globals: true, reporters: [[reporter, { path }]] }
  const config = `export default { test: ${JSON.stringify(options)} }`
  await writeFile(join(folder, 'vitest.config.mjs'), config)
  for (const [name, text] of Object.entries(tests))
    await writeFile(join(folder, `${name}.test.js`), text)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const running = run(process.execPath, [vitest, 'run'], { cwd: folder, timeoutMs: 100_000 })
  await expect(running).rejects.toMatchObject({ code: 1 })
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

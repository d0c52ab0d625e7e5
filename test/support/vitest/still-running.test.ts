import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { endTogether } from '../processes/end-together.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const root = resolve(import.meta.dirname, '../../..')

const TOLD = 'no test has ended for \\d+ s; these are running:\n(  .*\n)*'
/** What is to be told of, by the file: they run one after the other where there is one processor for them. */
const WANTED = {
  blocks: new RegExp(`^${TOLD}  blocks\\.test\\.js \\(\\d+ s\\)$`, 'm'),
  waits: new RegExp(
    `^${TOLD}  waits\\.test\\.js \\(\\d+ s\\)\n(  .*\n)*    for nothing \\(\\d+ s\\)$`,
    'm',
  ),
}

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

test('a file that blocks its process is named meanwhile, and a test that waits for ever', async () => {
  const write = (file: string, text: string) => writeFile(join(folder, file), text)
  const imports = `import { existsSync } from 'node:fs'`
  await write(
    'blocks.test.js',
    `${imports}
    const end = Date.now() + 60_000
    while (!existsSync('blocks') && Date.now() < end);
    test('is there', () => {})`,
  )
  await write(
    'waits.test.js',
    `${imports}
    test('for nothing', async () => {
      while (!existsSync('waits')) await new Promise((resolve) => setTimeout(resolve, 20))
    }, 60_000)`,
  )
  const reporter = JSON.stringify(join(root, 'test/support/vitest/still-running.ts'))
  const options = `{ globals: true, reporters: [[${reporter}, { silenceMs: 200 }]] }`
  await write('vitest.config.mjs', `export default { test: ${options} }`)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  endTogether(child, 'SIGKILL')
  const exited = once(child, 'exit')
  let printed = ''
  for await (const text of child.stdout.setEncoding('utf8')) {
    printed += text
    for (const [file, told] of Object.entries(WANTED)) {
      if (told.test(printed)) await write(file, '')
    }
  }
  for (const told of Object.values(WANTED)) expect(printed).toMatch(told)
  expect((await exited)[0]).toBe(0)
})

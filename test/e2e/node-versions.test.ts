/** The server on a Node that is newer than its own. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { run, runNow } from '../support/processes/program.ts'
import { runOnce, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = resolve(import.meta.dirname, '../..')
const peer = join(root, 'test/peer/node-26')
const node26 = join(peer, `node_modules/node-${process.platform}-${process.arch}/bin/node`)
const isServed = ['linux-x64', 'linux-arm64'].includes(`${process.platform}-${process.arch}`)

const dataDir = temporaryFolder()
beforeAll(async () => {
  if (isServed && !existsSync(node26)) await run('npm', ['ci', '--loglevel=error'], { cwd: peer })
}, 300_000)

it.runIf(isServed)('runs on Node 26 (npm has it for Linux)', async () => {
  const program = join(root, 'test/support/processes/past-the-door.ts')
  const args = [program, 'serve', '--port', '0', '--data-dir', dataDir]
  const cwd = join(root, 'test/fixtures/projects/echo')
  const server = await startServeProcess(node26, args, { cwd })
  expect(runNow(node26, ['--version'])).toMatch(/^v26\./)
  expect(await runOnce(server.url, 'agent', 'hello')).toMatchObject({
    messages: [{ content: 'hello' }, { type: 'ai' }],
  })
  expect(await server.stop()).toBe(0)
})

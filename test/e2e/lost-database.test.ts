/** A database file that is removed while a server runs. */
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = resolve(import.meta.dirname, '../..')

it('is told of by /ok and by every answer, and not by a 201 that is gone', async () => {
  const dataDir = temporaryFolder()
  const args = ['serve', '--port', '0', '--config', 'bench/projects/echo/langgraph.json']
  const server = await startServeProcess(
    join(root, 'bin/runyard'),
    [...args, '--data-dir', dataDir],
    {
      cwd: root,
    },
  )
  onTestFinished(async () => {
    await server.stop()
  })
  const status = async (path: string, init?: RequestInit) =>
    (await fetch(server.url + path, init)).status
  const headers = { 'content-type': 'application/json' }
  const create = { method: 'POST', headers, body: '{}' }
  expect([await status('/ok?check_db=1'), await status('/threads', create)]).toEqual([200, 200])
  rmSync(join(dataDir, 'agent.db'))
  await expect.poll(() => status('/ok')).toBe(503)
  expect(await status('/threads', create)).toBe(503)
})

/** `langgraph_sdk.cache` in a Python project: its graphs, its auth and its routes, in several processes. */
import { dirname, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { clientOf, fixtureProject } from '../support/agent/agent-server.ts'
import { installPython, NO_PYTHON } from '../support/hosts/python.ts'
import { startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = resolve(import.meta.dirname, '../..')
const skipped = NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''

it.skipIf(NO_PYTHON)(`is one for all of a server${skipped}`, { timeout: 120_000 }, async () => {
  const python = await installPython(resolve(root, 'hosts/python/requirements-dev.txt'))
  const dataDir = temporaryFolder()
  const args = [resolve(root, 'bin/runyard'), 'serve', '--port', '0', '--data-dir', dataDir]
  const server = await startServeProcess(process.execPath, args, {
    cwd: fixtureProject('cached', 'python'),
    env: {
      RUNYARD_LOG_LEVEL: 'error',
      RUNYARD_PYTHON_PROCESSES: '2',
      VIRTUAL_ENV: dirname(dirname(python)),
    },
  })
  try {
    // Each request counts once in auth, and once in what it asks for.
    const show = async () => (await fetch(`${server.url}/show`)).json()
    expect(await show()).toEqual({ before: 1, user: 'caller 0' })
    expect(await show()).toEqual({ before: 3, user: 'caller 2' })
    const client = clientOf(server.url)
    // It fills the cache: two first runs at once would both miss.
    const first = await client.runs.wait(null, 'graph', { input: {} })
    const runs = [first as unknown as Record<string, unknown>]
    while (new Set(runs.map(({ pid }) => pid)).size < 2) {
      const both = [1, 2].map(() => client.runs.wait(null, 'graph', { input: {} }))
      runs.push(...((await Promise.all(both)) as unknown as typeof runs))
    }
    expect(runs.at(-1)).toMatchObject({ status: 'fresh' })
    expect(await show()).toMatchObject({ before: expect.any(Number) })
  } finally {
    await server.stop()
  }
})

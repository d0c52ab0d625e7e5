/** What `docs/tutorial.md` has people type works, and shows what it says. */
import { readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NO_PYTHON } from '../support/hosts/python.ts'
import { freePort } from '../support/processes/free-port.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { tourSteps, walk } from '../support/processes/tour.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = resolve(import.meta.dirname, '../..')
const LIMIT_MS = 400_000
const skipped = NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''

const folder = temporaryFolder()
let runyard: ServeProcess
beforeAll(async () => {
  symlinkSync(join(root, 'bin'), join(folder, 'bin'))
  const env = { RUNYARD_PORT: '0', RUNYARD_DATA_DIR: '', RUNYARD_EXAMPLE: '0' }
  runyard = await startServeProcess(join(root, 'bin/runyard'), ['up'], { cwd: folder, env })
})
afterAll(async () => {
  expect(await runyard?.stop()).toBe(0)
})

it.skipIf(NO_PYTHON)(
  `the tutorial works as it is written, and shows what it says${skipped}`,
  { timeout: LIMIT_MS + 10_000 },
  async () => {
    const text = readFileSync(join(root, 'docs/tutorial.md'), 'utf8')
      .replaceAll('http://127.0.0.1:8124', runyard.url)
      .replaceAll('2024', String(await freePort()))
    const steps = tourSteps(text)
    expect(steps.length).toBeGreaterThan(15)
    const env = {
      ...process.env,
      RUNYARD_URL: runyard.url,
      // Today's newest packages are nobody's of this repository.
      PIP_CONSTRAINT: join(root, 'test/peer/python/requirements.txt'),
      PIP_NO_COMPILE: '1',
    }
    const shown = await walk(steps, { cwd: folder, env, timeoutMs: LIMIT_MS })
    for (const [i, { shows }] of steps.entries()) expect(shown[i]).toMatch(shows)
  },
)

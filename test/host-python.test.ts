/** The Python host is as clean as the rest, and passes its own tests. */
import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { installHostPython, NO_PYTHON } from './support/hosts/python.ts'

const HOST = resolve(import.meta.dirname, '../hosts/python')
const CACHE = resolve(import.meta.dirname, '../node_modules/.cache')
const LIMIT_MS = 300_000
const skipped = NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''

describe.skipIf(NO_PYTHON)(`the Python host${skipped}`, () => {
  let python: string
  beforeAll(async () => {
    python = await installHostPython()
  }, LIMIT_MS)

  /** What the module prints, where it does not end well; empty where it does. */
  function complaints(module: string, ...args: string[]): Promise<string> {
    const env = {
      ...process.env,
      RUFF_CACHE_DIR: join(CACHE, 'ruff'),
      PYTHONDONTWRITEBYTECODE: '1',
    }
    const options = { cwd: HOST, env, timeout: LIMIT_MS, maxBuffer: 1e8 }
    return new Promise((settle) => {
      execFile(python, ['-m', module, ...args], options, (error, stdout, stderr) =>
        settle(error ? `${stdout}${stderr}` || String(error) : ''),
      )
    })
  }

  it.each([
    ['ruff', 'check', '--quiet'],
    ['ruff', 'format', '--check', '--quiet'],
    ['mypy', '--strict', '--cache-dir', join(CACHE, 'mypy')],
    ['pytest', '--quiet', '-p', 'no:cacheprovider'],
  ])('%s %s finds nothing', { timeout: LIMIT_MS }, async (module, ...args) => {
    expect(await complaints(module, ...args)).toBe('')
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { activateHostPython, NO_PYTHON } from '../support/hosts/python.ts'
import { startExample } from '../support/processes/example.ts'

const skipped = NO_PYTHON ? ` (skipped: ${NO_PYTHON})` : ''
const root = resolve(import.meta.dirname, '../..')

it.each(['mcp', 'a2a', 'store', 'auth', 'routes'])(
  'the client of examples/%s prints what its README shows',
  async (name) => {
    const example = await startExample(name)
    try {
      expect(await example.run('client.ts')).toBe(example.shown)
    } finally {
      await example.stop()
    }
  },
  300_000,
)

it.skipIf(NO_PYTHON)(
  `the client of examples/python-agent prints what its README shows${skipped}`,
  async () => {
    await activateHostPython()
    const example = await startExample('python-agent')
    try {
      expect(await example.run('client.py')).toBe(example.shown)
    } finally {
      await example.stop()
    }
  },
  300_000,
)

it('docs/examples.md lists every example', () => {
  const index = readFileSync(resolve(root, 'docs/examples.md'), 'utf8')
  const listed = [...index.matchAll(/^\| \[([\w-]+)\]/gm)].map(([, name]) => name)
  expect(listed.toSorted()).toEqual(readdirSync(resolve(root, 'examples')).toSorted())
})

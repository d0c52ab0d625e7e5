import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { DEFAULT_LIMITS, type StepContext } from '../step.ts'
import { findPython } from './interpreter.ts'

let dir: string
let source: string
beforeEach(async () => {
  dir = temporaryFolder()
  source = join(dir, 'source')
  await mkdir(source)
})

/** Looks with a uv that writes down what it is asked, and has nothing. */
async function find() {
  const command = join(dir, 'uv')
  await writeFile(command, `#!/bin/sh\necho "$@" >> ${join(dir, 'asked')}\nexit 1\n`, {
    mode: 0o755,
  })
  const context: StepContext = {
    log: { line: () => {}, tail: () => [], close: async () => {} },
    signal: new AbortController().signal,
    limits: DEFAULT_LIMITS,
    env: { PATH: process.env.PATH ?? '' },
  }
  const uv = { command, version: '0.13.9' }
  const search = { uv, dir, version: undefined, root: source, source, home: undefined }
  return findPython(search, context, context).catch((error: Error) => error)
}

const asked = () => readFile(join(dir, 'asked'), 'utf8').catch(() => '')

test.each([
  ['.python-version', '--python-downloads-json-url=http://127.0.0.1:9/x.json'],
  ['.python-version', '/etc/passwd'],
  ['.python-version', 'http://127.0.0.1:9/python'],
  ['pyproject.toml', '[project]\nrequires-python = "--mirror=http://127.0.0.1:9"\n'],
])('a %s that names no version is not handed to uv: %s', async (name, text) => {
  await writeFile(join(source, name), text)
  expect(await find()).toMatchObject({
    name: 'BuildError',
    step: 'configuration',
    message: expect.stringContaining('names no version of Python'),
  })
  expect(await asked()).toBe('')
})

test.each(['.python-version', 'pyproject.toml'])(
  'a %s outside of the source is not read',
  async (name) => {
    await writeFile(join(dir, 'secret'), 'secretword\n')
    await symlink('../secret', join(source, name))
    const refused = await find()
    expect(refused).toMatchObject({ name: 'BuildError', step: 'configuration' })
    expect((refused as Error).message).toContain('leads out')
    expect((refused as Error).message).not.toContain('secretword')
  },
)

test.each([
  ['.python-version', '3.12\n', '3.12'],
  ['.python-version', 'cpython-3.13.1-linux-x86_64-gnu', 'cpython-3.13.1-linux-x86_64-gnu'],
  ['.python-version', 'pypy@3.11', 'pypy@3.11'],
  [
    'pyproject.toml',
    '[project]\nrequires-python = ">=3.11, <4.0, !=3.12.*"\n',
    '>=3.11,<4.0,!=3.12.*,>=3.11',
  ],
])('what %s asks for is handed on: %s', async (name, text, request) => {
  await writeFile(join(source, name), text)
  await find()
  expect((await asked()).split('\n').slice(0, 2)).toEqual([
    `python find --system --no-project -- ${request}`,
    `python install --no-bin --no-config -- ${request}`,
  ])
})

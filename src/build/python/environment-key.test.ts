import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { environmentKey } from './environment-key.ts'

let dir: string
beforeEach(() => {
  dir = temporaryFolder()
})

/** Of requirements that are a lock, installed with this file of pip's. */
async function keyWith(pipConfig: string) {
  const requirements = join(dir, 'requirements.txt')
  await writeFile(requirements, 'a==1 --hash=sha256:00\n')
  const plan = {
    locked: undefined,
    requirementFiles: [requirements],
    editables: [],
    requirements: [],
  }
  const python = { path: '/usr/bin/python3', version: '3.11.2', because: 'it is there' }
  const env = { PIP_CONFIG_FILE: pipConfig }
  return environmentKey(plan as never, { uv: '0.13.9', installer: 'uv', python, env })
}

test('what the file of pip says counts, and not where it lies', async () => {
  const texts = { one: '[global]\nno-index = 1\n', two: '[global]\nno-index = 1\n', other: '' }
  for (const [name, text] of Object.entries(texts)) await writeFile(join(dir, name), text)
  const [one, two, other] = await Promise.all(
    Object.keys(texts).map((name) => keyWith(join(dir, name))),
  )
  expect(one).toHaveProperty('key')
  expect(two).toEqual(one)
  expect(other).not.toEqual(one)
})

test('requirements with hashes are not shared: they may be built', async () => {
  expect(await keyWith('')).toMatchObject({ isShareable: false })
})

const OWN = 'source = { editable = "." }'
const PYPI = 'source = { registry = "https://pypi.org/simple" }'
const SDIST = 'sdist = { url = "https://files.example/x-1.tar.gz" }'
const wheel = (tags: string) => `wheels = [{ url = "https://files.example/x-1-${tags}.whl" }]`
const LINUX = `manylinux_2_17_${process.arch === 'x64' ? 'x86_64' : 'aarch64'}`
const HERE = process.platform === 'darwin' ? 'macosx_11_0_universal2' : LINUX

test.each<[string, boolean, string[], { settings?: string; env?: Record<string, string> }?]>([
  ['wheels of an index', true, [PYPI, wheel('py3-none-any')]],
  ['wheels for this machine', true, [PYPI, SDIST, wheel(`cp312-cp312-${HERE}`)]],
  ['wheels for later Pythons too', true, [PYPI, SDIST, wheel(`cp39-abi3-${HERE}`)]],
  ['wheels for Windows and nothing to build', true, [PYPI, wheel('cp312-cp312-win_amd64')]],
  ['wheels for Windows and sources', false, [PYPI, SDIST, wheel('cp312-cp312-win_amd64')]],
  ['wheels for another Python', false, [PYPI, SDIST, wheel(`cp311-cp311-${HERE}`)]],
  ['sources of an index', false, [PYPI, SDIST]],
  ['git', false, ['source = { git = "https://git.example/x?rev=1#abc" }']],
  ['an address', false, ['source = { url = "https://files.example/x-1.tar.gz" }', SDIST]],
  ['a file', false, ['source = { path = "x-1-py3-none-any.whl" }', wheel('py3-none-any')]],
  ['a folder', false, ['source = { directory = "x" }']],
  ['wheels in a folder', false, ['source = { registry = "wheels" }', wheel('py3-none-any')]],
  [
    'wheels that are not used',
    false,
    [PYPI, SDIST, wheel('py3-none-any')],
    { settings: 'no-binary = true\n' },
  ],
  [
    'wheels that a variable refuses',
    false,
    [PYPI, SDIST, wheel('py3-none-any')],
    { env: { UV_NO_BINARY: '1' } },
  ],
])('an environment of %s is shareable: %s', async (_, isShareable, lines, more = {}) => {
  const packages = [
    ['name = "own"', OWN],
    ['name = "x"', ...lines],
  ]
  const lock = packages.map((one) => `[[package]]\n${one.join('\n')}\n`).join('\n')
  await writeFile(join(dir, 'uv.lock'), lock)
  await writeFile(join(dir, 'uv.toml'), more.settings ?? '')
  const plan = {
    locked: { folder: dir, top: dir },
    requirementFiles: [],
    editables: [],
    requirements: [],
  }
  const python = { path: '/usr/bin/python3', version: '3.12.4', because: 'it is there' }
  const surroundings = { uv: '0.13.9', installer: 'uv', python, env: more.env ?? {} }
  expect(await environmentKey(plan, surroundings)).toMatchObject({ isShareable })
})

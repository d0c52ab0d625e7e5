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

import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { installerSettings } from './installer-settings.ts'

let dir: string
let source: string
beforeEach(async () => {
  dir = temporaryFolder()
  source = join(dir, 'source')
  await mkdir(source)
})

const SETTINGS = '[global]\nindex-url = https://me:password@index.example/simple\n'

test('settings of pip in the source are told to uv', async () => {
  const file = join(source, 'pip.conf')
  await writeFile(file, SETTINGS)
  expect(await installerSettings({ source, root: source, file }, {})).toEqual({
    PIP_CONFIG_FILE: file,
    UV_DEFAULT_INDEX: 'https://me:password@index.example/simple',
  })
})

test('settings of pip outside of the source are not read, whichever way leads there', async () => {
  const outside = join(dir, 'pip.conf')
  await writeFile(outside, SETTINGS)
  await symlink(outside, join(source, 'pip.conf'))
  for (const file of [outside, join(source, '..', 'pip.conf'), join(source, 'pip.conf')]) {
    await expect(installerSettings({ source, root: source, file }, {})).rejects.toMatchObject({
      name: 'BuildError',
      step: 'configuration',
      message: expect.stringContaining('leads out'),
    })
  }
})

test('folders that packages are found in are looked for where installers run', async () => {
  const file = join(source, 'pip.conf')
  await writeFile(file, '[global]\nfind-links = ./wheels ./gone https://wheels.example\n')
  await mkdir(join(source, 'wheels'))
  expect(await installerSettings({ source, root: source, file }, {})).toMatchObject({
    UV_FIND_LINKS: './wheels,https://wheels.example',
  })
})

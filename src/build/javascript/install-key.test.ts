import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { installKey } from './install-key.ts'
import type { InstallPlan } from './package-manager.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

it('there is none where a file is too large to be read, and the reason names it', async () => {
  const plan: InstallPlan = { folder, manager: 'npm', version: null, isLocked: true }
  const surroundings = { node: '24.0.0', env: {} }
  const lock = join(folder, 'package-lock.json')
  await writeFile(lock, '{}')
  expect(await installKey(plan, surroundings)).toMatchObject({ key: expect.any(String) })
  await truncate(lock, 64 * 1024 * 1024 + 1)
  expect(await installKey(plan, surroundings)).toEqual({
    reason: 'package-lock.json is too large',
  })
})

it('the own name and version of a project change nothing, those of its packages do', async () => {
  const keyOf = async (name: string, version: string) => {
    const own = { name, version: name === 'a' ? '1.0.0' : '2.0.0' }
    const packages = { '': own, 'node_modules/x': { version } }
    await writeFile(join(folder, 'package.json'), JSON.stringify(own))
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ ...own, packages }))
    return installKey(
      { folder, manager: 'npm', version: null, isLocked: true },
      { node: '24.0.0', env: {} },
    )
  }
  expect(await keyOf('b', '1.0.0')).toEqual(await keyOf('a', '1.0.0'))
  expect(await keyOf('a', '1.0.1')).not.toEqual(await keyOf('a', '1.0.0'))
})

it.each([
  ['npm', 'package-lock.json', '{"packages":{"node_modules/x":{}}}', true],
  ['npm', 'package-lock.json', '{"packages":{"node_modules/x":{"hasInstallScript":true}}}', false],
  ['npm', 'package-lock.json', '{"dependencies":{}}', false],
  ['npm', 'package-lock.json', 'no JSON', false],
  ['pnpm', 'pnpm-lock.yaml', 'lockfileVersion: 9', false],
] as const)(
  'the packages of %s with %s %s are shareable: %s',
  async (manager, name, text, isShareable) => {
    await writeFile(join(folder, name), text)
    const plan: InstallPlan = { folder, manager, version: null, isLocked: true }
    expect(await installKey(plan, { node: '24.0.0', env: {} })).toMatchObject({ isShareable })
  },
)

it.each(['package-lock.json', 'npm-shrinkwrap.json'])(
  'of two lock files the one with an install script counts: %s',
  async (scripted) => {
    for (const name of ['package-lock.json', 'npm-shrinkwrap.json']) {
      const one = name === scripted ? { hasInstallScript: true } : {}
      await writeFile(join(folder, name), JSON.stringify({ packages: { 'node_modules/x': one } }))
    }
    const plan: InstallPlan = { folder, manager: 'npm', version: null, isLocked: true }
    const identity = await installKey(plan, { node: '24.0.0', env: {} })
    expect(identity).toMatchObject({ isShareable: false })
  },
)

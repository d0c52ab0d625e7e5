import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { planInstall } from './package-manager.ts'

let root: string
beforeEach(() => {
  root = temporaryFolder()
})

async function plan(files: Record<string, string>, folder = '.') {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), text)
  }
  await mkdir(join(root, folder), { recursive: true })
  const found = await planInstall(join(root, folder), root)
  return found && { ...found, folder: found.folder.slice(root.length + 1) }
}

it('has nothing to do without a package.json', async () => {
  expect(await plan({ 'langgraph.json': '{}' })).toBeUndefined()
})

it.each([
  [{}, 'npm', null, false],
  [{ 'package-lock.json': '{}' }, 'npm', null, true],
  [{ 'npm-shrinkwrap.json': '{}' }, 'npm', null, true],
  [{ 'pnpm-lock.yaml': "lockfileVersion: '9.0'" }, 'pnpm', '10.34.9', true],
  [{ 'pnpm-lock.yaml': "lockfileVersion: '6.0'" }, 'pnpm', '8.15.9', true],
  [{ 'bun.lock': '{}' }, 'bun', '1.3.9', true],
  [{ 'bun.lockb': '' }, 'bun', '1.3.9', true],
  [{ 'yarn.lock': '# yarn lockfile v1' }, 'yarn-classic', '1.22.22', true],
  [{ 'yarn.lock': '__metadata:\n  version: 6\n' }, 'yarn-berry', '3.8.7', true],
  [{ 'yarn.lock': '__metadata:\n  version: 8\n' }, 'yarn-berry', '4.13.0', true],
  [{ 'yarn.lock': '__metadata:\n  version: 10\n' }, 'yarn-berry', '4.18.1', true],
] as const)('lets the lock file decide: %j is %s %s', async (files, manager, version, isLocked) => {
  const found = await plan({ 'package.json': '{}', ...files })
  expect(found).toEqual({ folder: '', manager, version, isLocked })
})

it.each([
  ['pnpm@9.1.0+sha512.abc', 'pnpm', '9.1.0'],
  ['yarn@1.22.19', 'yarn-classic', '1.22.19'],
  ['yarn@4.1.0', 'yarn-berry', '4.1.0'],
  ['bun@1.2.0', 'bun', '1.2.0'],
  ['npm@10.0.0', 'npm', null],
  ['pnpm@latest; rm -rf /', 'npm', null],
])('takes manager and version from packageManager %s', async (packageManager, manager, version) => {
  const found = await plan({ 'package.json': JSON.stringify({ packageManager }) })
  expect(found).toMatchObject({ manager, version, isLocked: false })
})

it('does not take the version of another manager than that of the lock file', async () => {
  const files = { 'package.json': '{"packageManager":"yarn@4.1.0"}', 'pnpm-lock.yaml': '' }
  expect(await plan(files)).toMatchObject({ manager: 'pnpm', version: '10.34.9' })
})

it('installs a part of a workspace at the top of the workspace', async () => {
  const files = {
    'package.json': '{"workspaces":["agents/*"]}',
    'package-lock.json': '{}',
    'agents/one/package.json': '{}',
  }
  const found = await plan(files, 'agents/one/config')
  expect(found).toMatchObject({ folder: '', manager: 'npm', isLocked: true })
})

it('knows a pnpm workspace by its own file', async () => {
  const files = {
    'package.json': '{}',
    'pnpm-workspace.yaml': 'packages: ["a"]',
    'pnpm-lock.yaml': "lockfileVersion: '9.0'",
    'a/package.json': '{}',
  }
  expect(await plan(files, 'a')).toMatchObject({ folder: '', manager: 'pnpm' })
})

it('installs a project by itself that only lies below another', async () => {
  const files = { 'package.json': '{}', 'package-lock.json': '{}', 'a/package.json': '{}' }
  expect(await plan(files, 'a')).toMatchObject({ folder: 'a', manager: 'npm', isLocked: false })
})

it('says which package.json it cannot read', async () => {
  await expect(plan({ 'package.json': '{' })).rejects.toThrow('not valid JSON')
  await expect(plan({ 'package.json': '[]' })).rejects.toThrow('not a JSON object')
})

it.each(['package.json', 'pnpm-lock.yaml'])('reads no device that %s leads to', async (name) => {
  await symlink('/dev/zero', join(root, name))
  const files: Record<string, string> = name === 'package.json' ? {} : { 'package.json': '{}' }
  await expect(plan(files)).rejects.toMatchObject({
    step: 'install',
    message: `${join(root, name)} is not read: it is no file.`,
  })
})

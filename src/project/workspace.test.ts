import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { findWorkspace } from './workspace.ts'

let top: string
beforeEach(() => {
  top = temporaryFolder()
})

const MEMBER = { 'apps/agent/package.json': '{}' }
const UV = { 'apps/agent/pyproject.toml': '[project]\nname = "agent"\n' }
const uvWorkspace = (more = '') =>
  `[tool.uv.workspace]\nmembers = [\n  "apps/*", # all of them\n]\n${more}`

async function find(files: Record<string, string>, folder = 'apps/agent') {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(top, name)), { recursive: true })
    await writeFile(join(top, name), text)
  }
  return findWorkspace(join(top, folder), top)
}

it.each<[manager: string, files: Record<string, string>]>([
  ['npm', { ...MEMBER, 'package.json': '{"workspaces": ["./apps/*/"]}' }],
  ['npm', { ...MEMBER, 'package.json': '{"workspaces": {"packages": ["apps/**"]}}' }],
  ['yarn', { ...MEMBER, 'package.json': '{"workspaces": ["apps/agent"]}', 'yarn.lock': '' }],
  ['bun', { ...MEMBER, 'package.json': '{"workspaces": ["apps/*"]}', 'bun.lock': '{}' }],
  [
    'bun',
    { ...MEMBER, 'package.json': '{"workspaces": ["apps/*"], "packageManager": "bun@1.3.0"}' },
  ],
  ['pnpm', { ...MEMBER, 'package.json': '{}', 'pnpm-workspace.yaml': 'packages:\n  - apps/*\n' }],
  ['uv', { ...UV, 'pyproject.toml': uvWorkspace() }],
])('finds a workspace of %s: %o', async (manager, files) => {
  expect(await find(files)).toEqual({ folder: top, manager })
})

it.each<[why: string, files: Record<string, string>]>([
  ['is no member', { ...MEMBER, 'package.json': '{"workspaces": ["libs/*"]}' }],
  ['is taken out', { ...MEMBER, 'package.json': '{"workspaces": ["apps/*", "!apps/agent"]}' }],
  ['is excluded', { ...UV, 'pyproject.toml': uvWorkspace('exclude = ["apps/agent"]\n') }],
  ['has no package.json', { 'apps/agent/a.py': '', 'package.json': '{"workspaces": ["apps/*"]}' }],
  [
    'has a lock file of its own',
    {
      ...MEMBER,
      'apps/agent/package-lock.json': '{}',
      'package.json': '{"workspaces": ["apps/*"]}',
    },
  ],
  [
    'has a uv.lock of its own',
    { ...UV, 'apps/agent/uv.lock': '', 'pyproject.toml': uvWorkspace() },
  ],
  ['lies below what is no JSON', { ...MEMBER, 'package.json': '{' }],
])('finds none for a folder that %s', async (_, files) => {
  expect(await find(files)).toBeUndefined()
})

import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { installKey } from './install-key.ts'
import type { InstallPlan } from './package-manager.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'install-key-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('there is none where a file is too large to be read, and the reason names it', async () => {
  const plan: InstallPlan = { folder, manager: 'npm', version: null, isLocked: true }
  const surroundings = { node: '24.0.0', env: {} }
  const lock = join(folder, 'package-lock.json')
  await writeFile(lock, '{}')
  expect(await installKey(plan, surroundings)).toEqual({ key: expect.any(String) })
  await truncate(lock, 64 * 1024 * 1024 + 1)
  expect(await installKey(plan, surroundings)).toEqual({
    reason: 'package-lock.json is too large',
  })
})

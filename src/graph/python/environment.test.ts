import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { activated, hostEnvironment } from './environment.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'host-environment-'))
  mkdirSync(join(folder, 'bin'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('has nothing of the server, but for how agents reach their control plane', () => {
  const all = { A: 'b', RUNYARD_URL: 'u', RUNYARD_ADMIN_KEY: 'k', npm_config_x: 'y', C: undefined }
  expect(hostEnvironment(all, { hasHome: false })).toEqual({ A: 'b' })
  expect(hostEnvironment(all, { hasHome: true })).toEqual({ A: 'b', RUNYARD_URL: 'u' })
})

it('finds the programs of the environment first, where the Python is one of an environment', () => {
  const python = join(folder, 'bin/python')
  const env = { PATH: '/bin', VIRTUAL_ENV: '/another' }
  expect(activated(env, python)).toEqual(env)
  writeFileSync(join(folder, 'pyvenv.cfg'), '')
  const PATH = `${join(folder, 'bin')}:/bin`
  expect(activated(env, python)).toEqual({ PATH, VIRTUAL_ENV: folder })
})

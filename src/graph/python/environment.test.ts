import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { activated, hostEnvironment } from './environment.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
  mkdirSync(join(folder, 'bin'))
})

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

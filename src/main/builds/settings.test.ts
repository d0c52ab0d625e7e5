import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { type Log, silentLog } from '../../core/log.ts'
import { readBuildSettings } from './settings.ts'

let dir: string
let warned: unknown[]
const log: Log = { ...silentLog, warn: (fields) => warned.push(fields) }
beforeEach(() => {
  dir = temporaryFolder()
  warned = []
})

async function file(name: string, bytes: number): Promise<string> {
  const path = join(dir, name)
  await writeFile(path, name[0]?.repeat(bytes) ?? '')
  return path
}

it('sends a file once that several variables name', async () => {
  const path = await file('certificates', 200_000)
  const env = { NODE_EXTRA_CA_CERTS: path, SSL_CERT_FILE: path, PIP_CERT: path, CI: 'true' }
  expect(await readBuildSettings(env, log)).toEqual({
    env: { CI: 'true' },
    files: { NODE_EXTRA_CA_CERTS: 'c'.repeat(200_000) },
    sameFiles: { SSL_CERT_FILE: 'NODE_EXTRA_CA_CERTS', PIP_CERT: 'NODE_EXTRA_CA_CERTS' },
  })
  expect(warned).toEqual([])
})

it('leaves out what would be too large for a Secret, and says which variable that is', async () => {
  const env = {
    NODE_EXTRA_CA_CERTS: await file('a', 250_000),
    SSL_CERT_FILE: await file('b', 250_000),
    PIP_CERT: await file('c', 250_000),
    UV_CONFIG_FILE: await file('d', 300_000),
    SSL_CERT_DIR: dir,
  }
  const { files } = await readBuildSettings(env, log)
  expect(Object.keys(files)).toEqual(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])
  const left = ['PIP_CERT', 'UV_CONFIG_FILE', 'SSL_CERT_DIR']
  expect(warned).toEqual(left.map((variable) => ({ variable })))
})

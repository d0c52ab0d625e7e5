/** Two `up` on one PostgreSQL and one S3-compatible store: what one has received, the other builds. */
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { create } from 'tar'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openS3Objects } from '../../src/artifacts/s3-objects.ts'
import { parseS3Address } from '../../src/core/s3-address.ts'
import { fixtureProject } from '../support/agent/agent-server.ts'
import { NO_S3_SERVER, type S3Server, startS3Server } from '../support/control-plane/s3-server.ts'
import { freshPostgres } from '../support/postgres/postgres.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const COMMAND = new URL('../../bin/runyard', import.meta.url).pathname
const MODULES = new URL('../../node_modules', import.meta.url).pathname
const KEY = 'ry_the_key_of_both'
const headers = { 'x-api-key': KEY, 'content-type': 'application/json' }
const encryptionKey = randomBytes(32).toString('base64')
const prefix = `tests/${randomUUID()}`

interface Installation extends ServeProcess {
  dataDir: string
}

let s3: S3Server
let databaseUrl: string
const all: Installation[] = []

beforeAll(async () => {
  if (NO_S3_SERVER) return
  s3 = await startS3Server()
  databaseUrl = await freshPostgres()
})
afterAll(async () => {
  for (const one of all) {
    await one.stop()
    await rm(one.dataDir, { recursive: true, force: true })
  }
  await s3?.stop()
})

const title = `a deployment from a tarball outlives the machine that received it${NO_S3_SERVER ? ` (skipped: ${NO_S3_SERVER})` : ''}`

it.skipIf(NO_S3_SERVER)(title, { timeout: 240_000 }, async () => {
  const first = await start()
  const second = await start()
  const id = await deployTarball(first)
  await patiently(() => isServing(first)).toBe(true)
  expect(existsSync(`${first.dataDir}/builds/uploads`)).toBe(false)
  expect(await uploads()).toHaveLength(1)

  const gone = once(first.process, 'exit')
  first.process.kill('SIGKILL')
  await gone
  await patiently(() => isServing(second)).toBe(true)

  await call(second, 'DELETE', `/v2/deployments/${id}`)
  await patiently(uploads).toEqual([])
})

async function start(): Promise<Installation> {
  const dataDir = temporaryFolder()
  const env = {
    RUNYARD_DATA_DIR: dataDir,
    RUNYARD_PORT: '0',
    RUNYARD_EXAMPLE: '0',
    RUNYARD_LOG_LEVEL: 'silent',
    RUNYARD_ADMIN_KEY: KEY,
    RUNYARD_ENCRYPTION_KEY: encryptionKey,
    RUNYARD_DATABASE_URL: databaseUrl,
    RUNYARD_ARTIFACTS_URL: s3.url(prefix),
    ...s3.env,
  }
  const up = await startServeProcess(COMMAND, ['up'], { cwd: dataDir, env })
  const installation = { ...up, dataDir }
  all.push(installation)
  return installation
}

async function deployTarball(one: Installation): Promise<string> {
  const install_command = `mkdir node_modules && ln -s ${MODULES}/* node_modules`
  const { id } = await call(one, 'POST', '/v2/deployments', {
    name: 'packed',
    source: 'internal_source',
    source_config: { install_command },
    source_revision_config: {},
    secrets: [],
  })
  const upload = await call(one, 'POST', `/v2/deployments/${id}/upload-url`)
  const packed = await create({ gzip: true, cwd: fixtureProject('echo') }, ['.']).concat()
  const sent = await fetch(upload.upload_url as string, { method: 'PUT', body: packed })
  expect(sent.status).toBe(200)
  const { object_path: source_tarball_path } = upload
  await call(one, 'PATCH', `/v2/deployments/${id}`, {
    source_revision_config: { source_tarball_path },
  })
  return id as string
}

async function call({ url }: Installation, method: string, path: string, body?: unknown) {
  const init = { method, headers, body: body ? JSON.stringify(body) : null }
  const answer = await fetch(`${url}${path}`, init)
  expect(answer.status).toBeLessThan(300)
  return (answer.status === 204 ? {} : await answer.json()) as Record<string, unknown>
}

async function isServing({ url }: Installation): Promise<boolean> {
  const init = { method: 'POST', headers, body: '{}' }
  const answer = await fetch(`${url}/agents/packed/assistants/search`, init)
  await answer.text()
  return answer.status === 200
}

/** What the store holds. */
async function uploads(): Promise<string[]> {
  const { credentials } = s3
  const address = parseS3Address(s3.url(prefix), { region: 'us-east-1' })
  return (await openS3Objects(address, { credentials })).list('')
}

function patiently<T>(read: () => T) {
  return expect.poll(read, { timeout: 90_000, interval: 100 })
}

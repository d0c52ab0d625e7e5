/** `runyard backup` of a whole installation that works, and `runyard restore` on an empty machine. */
import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@langchain/langgraph-sdk'
import { expect, it, onTestFinished } from 'vitest'
import { ControlPlaneClient } from '../../client/src/client.ts'
import { deployFolder } from '../../src/cli/deploy/deploy-folder.ts'
import {
  type AgentLife,
  GONE_ON,
  goOnWith,
  liveWith,
  portraitOf,
} from '../support/agent/agent-life.ts'
import { fixtureProject } from '../support/agent/agent-server.ts'
import { NO_S3_SERVER, startS3Server } from '../support/control-plane/s3-server.ts'
import { freshPostgres } from '../support/postgres/postgres.ts'
import { startCommand } from '../support/processes/command.ts'
import { run } from '../support/processes/program.ts'
import { startRunyard, type TestRunyard } from '../support/processes/runyard.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const MODULES = new URL('../../node_modules', import.meta.url).pathname
const LIMIT_MS = 240_000
const ENV = { RUNYARD_DASHBOARD: '0', RUNYARD_PUBLIC_URL: 'https://agents.example.com' }

const folder = temporaryFolder()
let life: AgentLife
let portrait: unknown
const fileOf = (name: string) => join(folder, `${name}.tar.gz`)

const command = (args: string[], dataDir: string, env: Record<string, string> = {}) =>
  startCommand(args, { cwd: folder, env: { RUNYARD_DATA_DIR: join(folder, dataDir), ...env } })
    .ended

const start = (dataDir: string, env: Record<string, string> = {}) =>
  startRunyard({ dataDir: join(folder, dataDir), env: { ...ENV, ...env } })

const agentOf = ({ url, adminKey }: TestRunyard) =>
  new Client({ apiUrl: `${url}/agents/kept`, apiKey: adminKey })

/** What the control plane and its deployment tell of themselves. */
async function everything(runyard: TestRunyard): Promise<unknown> {
  const client = new ControlPlaneClient({ url: runyard.url, apiKey: runyard.adminKey })
  const deployment = await client.findDeployment('kept')
  const revisions = await runyard.call('GET', `/v2/deployments/${deployment?.id}/revisions`)
  const { body } = await runyard.call('GET', '/v2/api-keys')
  // When a key was used last changes with each look.
  const keys = JSON.stringify(body).replaceAll(/"last_used_at":"[^"]*"/g, '')
  return { deployment, revisions, keys, agent: await portraitOf(agentOf(runyard)) }
}

it('is made while everything works', { timeout: LIMIT_MS }, async () => {
  const runyard = await start('first')
  const client = new ControlPlaneClient({ url: runyard.url, apiKey: runyard.adminKey })
  await client.createDeployment({
    name: 'kept',
    source: 'internal_source',
    source_config: { install_command: `mkdir node_modules && ln -s ${MODULES}/* node_modules` },
    source_revision_config: {},
    secrets: [{ name: 'TOKEN', value: 'sealed' }],
  })
  const { signal } = new AbortController()
  const source = { name: 'kept', folder: fixtureProject('echo'), secrets: [], signal }
  expect(await deployFolder(client, source)).toMatchObject({ status: 'DEPLOYED' })
  life = await liveWith(agentOf(runyard))
  portrait = await everything(runyard)
  const [bare, full] = await Promise.all([
    command(['backup', '--to', fileOf('bare'), '--json'], 'first'),
    command(['backup', '--to', fileOf('full'), '--with-keys'], 'first'),
  ])
  expect(JSON.parse(bare.stdout)).toMatchObject({ databases: 2, files: 1, with_keys: false })
  expect(full.stdout).toContain('It holds the keys')
  expect(statSync(fileOf('full')).mode & 0o777).toBe(0o600)
  const names = await run('tar', ['-tzf', fileOf('bare')])
  expect(names).not.toMatch(/^keys\//m)
  await runyard.stop()
})

it('is restored with its keys on an empty machine, and all goes on', {
  timeout: LIMIT_MS,
}, async () => {
  const restored = await command(['restore', fileOf('full')], 'second')
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('all verified') })
  const refused = await command(['restore', fileOf('full')], 'second')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') })
  const runyard = await start('second')
  await built(runyard)
  expect(await everything(runyard)).toEqual(portrait)
  expect(await goOnWith(agentOf(runyard), life)).toEqual(GONE_ON)
  await runyard.halt()
})

it('needs the encryption key, and may be restored into PostgreSQL', {
  timeout: LIMIT_MS,
}, async () => {
  const refused = await command(['restore', fileOf('bare')], 'third')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('encryption.key') })
  const wrong = { RUNYARD_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') }
  const other = await command(['restore', fileOf('bare')], 'third', wrong)
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('is not the one') })

  const files = ['encryption.key', 'admin.key'].map((name) => join(folder, 'second', name))
  const [encryption = '', admin = ''] = await Promise.all(
    files.map((file) => readFile(file, 'utf8')),
  )
  const env = {
    RUNYARD_ENCRYPTION_KEY: encryption.trim(),
    RUNYARD_ADMIN_KEY: admin.trim(),
    RUNYARD_DATABASE_URL: await freshPostgres(),
  }
  expect(await command(['restore', fileOf('bare')], 'third', env)).toMatchObject({ code: 0 })
  const runyard = await start('third', env)
  await built(runyard)
  expect(await everything(runyard)).toEqual(portrait)
  expect(await goOnWith(agentOf(runyard), life)).toEqual(GONE_ON)
  await runyard.halt()
})

it.skipIf(NO_S3_SERVER)(
  'goes to an S3-compatible store and comes from there (needs Python)',
  {
    timeout: LIMIT_MS,
  },
  async () => {
    const s3 = await startS3Server()
    onTestFinished(s3.stop)
    const url = s3.url('backups')
    const made = await command(['backup', '--to', url, '--with-keys'], 'second', s3.env)
    expect(made).toMatchObject({ code: 0, stderr: expect.not.stringContaining('refused') })
    const [, name = ''] = /\((runyard-\w+\.tar\.gz)\)/.exec(made.stdout) ?? []
    const from = url.replace('/backups', `/backups/${name}`)
    const restored = await command(['restore', from], 'fourth', s3.env)
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('all verified') })
    const twice = await command(['backup', '--to', from], 'second', s3.env)
    expect(twice).toMatchObject({ code: 1, stderr: expect.stringContaining('already') })
    const absent = await command(
      ['restore', url.replace('/backups', '/none.tar.gz')],
      'fifth',
      s3.env,
    )
    expect(absent).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no object none.tar.gz'),
    })
  },
)

/** Its folder is not in the backup: the deployment is built again. */
async function built(runyard: TestRunyard): Promise<void> {
  const ok = async () => (await fetch(`${runyard.url}/agents/kept/ok`)).status
  await expect.poll(ok, { timeout: LIMIT_MS }).toBe(200)
}

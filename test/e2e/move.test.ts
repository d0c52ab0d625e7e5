/** `runyard move`: a whole installation goes to PostgreSQL and back, and every thread goes on. */
import { randomBytes } from 'node:crypto'
import { Client } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type AgentLife,
  GONE_ON,
  goOnWith,
  liveWith,
  portraitOf,
} from '../support/agent/agent-life.ts'
import { fixtureProject } from '../support/agent/agent-server.ts'
import { createGitRepository, type GitRepository } from '../support/control-plane/git-repository.ts'
import { type PostgresProxy, startPostgresProxy } from '../support/postgres/postgres-proxy.ts'
import { type EndedCommand, startCommand } from '../support/processes/command.ts'
import { startRunyard, type TestRunyard } from '../support/processes/runyard.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const MODULES = new URL('../../node_modules', import.meta.url).pathname
const LIMIT_MS = 240_000
const ENV = {
  RUNYARD_ADMIN_KEY: 'ry_the_key_of_the_test',
  RUNYARD_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  RUNYARD_DASHBOARD: '0',
  RUNYARD_PUBLIC_URL: 'https://agents.example.com',
}

let repository: GitRepository
const dataDir = temporaryFolder()
/** In this process: while a kill is on its way nothing goes through. */
let postgres: PostgresProxy
let databaseUrl: string
let life: AgentLife
let portrait: unknown

beforeAll(async () => {
  repository = createGitRepository(fixtureProject('echo'))
  postgres = await startPostgresProxy()
  databaseUrl = postgres.url
})
afterAll(async () => {
  repository.remove()
  await postgres.stop()
})

const start = (more: Record<string, string> = {}) =>
  startRunyard({ dataDir, env: { ...ENV, ...more } })

const move = (args: string[], more: Record<string, string> = {}) =>
  startCommand(['move', ...args], {
    cwd: dataDir,
    env: { ...ENV, RUNYARD_DATA_DIR: dataDir, ...more },
  })

const toPostgres = () => move(['--json'], { RUNYARD_MOVE_TO: databaseUrl })
const toFiles = (args: string[] = []) =>
  move(['--to', 'sqlite:', ...args], { RUNYARD_DATABASE_URL: databaseUrl })

const clientOf = ({ url, adminKey }: TestRunyard) =>
  new Client({ apiUrl: `${url}/agents/moved`, apiKey: adminKey })

/** What the control plane tells of itself. */
async function record(runyard: TestRunyard): Promise<unknown> {
  const { body } = await runyard.call('GET', '/v2/deployments?name_contains=moved')
  const { resources } = body as { resources: { id: string; active_revision_id: string }[] }
  const [deployment] = resources
  const paths = [`/v2/deployments/${deployment?.id}/revisions`, '/v2/api-keys', '/v2/audit-log']
  const answers = await Promise.all(paths.map((path) => runyard.call('GET', path)))
  // When a key was used last changes with each look.
  return JSON.stringify([deployment, ...answers]).replaceAll(/"last_used_at":"[^"]*"/g, '')
}

it('is refused while a Runyard uses the data folder', { timeout: LIMIT_MS }, async () => {
  const runyard = await start()
  const created = await runyard.call('POST', '/v2/deployments', {
    name: 'moved',
    source: 'github',
    source_config: {
      repo_url: repository.url,
      install_command: `mkdir node_modules && ln -s ${MODULES}/* node_modules`,
    },
    source_revision_config: { repo_ref: 'main', langgraph_config_path: 'langgraph.json' },
    secrets: [{ name: 'TOKEN', value: 'kept as it was' }],
  })
  const deployment = created.body as { id: string; latest_revision_id: string }
  expect(await runyard.untilOver(deployment)).toMatchObject({ status: 'DEPLOYED' })
  life = await liveWith(clientOf(runyard))
  const refused = await toPostgres().ended
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('lock.db is locked') })
  portrait = [await record(runyard), await portraitOf(clientOf(runyard))]
  await runyard.halt()
})

it('begins again after kill -9, and all is the same on PostgreSQL', {
  timeout: LIMIT_MS,
}, async () => {
  let last: EndedCommand | undefined
  for (const where of ['copying control plane', 'checkpoints:', 'comparing moved', undefined]) {
    // The kills at later places may come when the move is complete.
    if (last?.code === 0) break
    const command = toPostgres()
    if (where) await command.until(where).then(() => command.child.kill('SIGKILL'))
    last = await command.ended
  }
  expect(last).toMatchObject({ code: 0, stderr: expect.stringContaining('beginning again with') })
  expect(JSON.parse(last?.stdout ?? '')).toMatchObject({
    databases: 2,
    to: expect.stringContaining('PostgreSQL'),
  })
  await expect(start()).rejects.toThrow('was moved from SQLite')

  const runyard = await start({ RUNYARD_DATABASE_URL: databaseUrl })
  expect([await record(runyard), await portraitOf(clientOf(runyard))]).toEqual(portrait)
  await runyard.halt()
})

it('leads back, and every thread goes on', { timeout: LIMIT_MS }, async () => {
  const refused = await toFiles().ended
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--replace') })
  expect(await toFiles(['--replace']).ended).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('all verified'),
  })
  const runyard = await start()
  expect([await record(runyard), await portraitOf(clientOf(runyard))]).toEqual(portrait)
  expect(await goOnWith(clientOf(runyard), life)).toEqual(GONE_ON)
  await runyard.halt()
})

it('says what a target must be', async () => {
  const answers = await Promise.all([
    move([]).ended,
    move(['--to', '/elsewhere']).ended,
    move(['--to', 'sqlite:']).ended,
    move(['--to', 'mysql://somewhere']).ended,
  ])
  expect(answers.map(({ code }) => code)).toEqual([1, 1, 1, 1])
  for (const { stderr } of answers) expect(stderr).toMatch(/^runyard: --to (says|must|leads)/)
})

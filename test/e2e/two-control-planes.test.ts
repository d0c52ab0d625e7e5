/** Two `up` on one PostgreSQL, each in a data folder of its own: one leads, the other takes over. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { Client } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Revision } from '../../client/src/client.ts'
import type { ControlPlaneStore } from '../../src/core/deployment/control-plane-store.ts'
import { createSecretBox } from '../../src/storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../../src/storage/control-plane/store.ts'
import { fixtureProject } from '../support/agent/agent-server.ts'
import { createGitRepository, type GitRepository } from '../support/control-plane/git-repository.ts'
import { freshPostgres } from '../support/postgres/postgres.ts'
import { processesIn } from '../support/processes/processes.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const COMMAND = new URL('../../bin/runyard', import.meta.url).pathname
const MODULES = new URL('../../node_modules', import.meta.url).pathname
const LIMIT_MS = 240_000
const KEY = 'ry_the_key_of_both'
const HOST = 'agents.example.com'
const encryptionKey = randomBytes(32)
const headers = { 'x-api-key': KEY, 'content-type': 'application/json' }

interface Installation extends ServeProcess {
  dataDir: string
}

let repository: GitRepository
let databaseUrl: string
let store: ControlPlaneStore
let first: Installation
let second: Installation

beforeAll(async () => {
  repository = createGitRepository(fixtureProject('echo'))
  databaseUrl = await freshPostgres()
  first = await start()
  second = await start()
  store = await openControlPlaneStore(databaseUrl, createSecretBox(encryptionKey))
})
afterAll(async () => {
  for (const one of [first, second]) {
    one.process.kill('SIGCONT')
    await one.stop()
    await rm(one.dataDir, { recursive: true, force: true })
  }
  await store.close()
  repository.remove()
})

it('deploys through the one that follows, and serves on when the leader pauses or dies', {
  timeout: LIMIT_MS,
}, async () => {
  const created = await call(second, 'POST', '/v2/deployments', {
    name: 'shared',
    source: 'github',
    source_config: {
      repo_url: repository.url,
      install_command: `mkdir node_modules && ln -s ${MODULES}/* node_modules`,
    },
    source_revision_config: { repo_ref: 'main', langgraph_config_path: 'langgraph.json' },
    secrets: [],
  })
  expect(created.status).toBe(201)
  const { id, latest_revision_id } = (await created.json()) as Record<string, string>
  const path = `/v2/deployments/${id}/revisions/${latest_revision_id}`
  const status = async () => ((await (await call(second, 'GET', path)).json()) as Revision).status
  await patiently(status).toBe('DEPLOYED')
  expect((await store.leadership.get()).token).toBe(1)
  expect([built(first), built(second)]).toEqual([[latest_revision_id], []])
  const thread = await sdk(second).threads.create()
  await run(second, thread.thread_id)
  const domain = await call(second, 'POST', `/v2/deployments/${id}/domains`, { host: HOST })
  expect(domain.status).toBe(201)
  expect([await statusAtHost(first), await statusAtHost(second)]).toEqual([200, 200])

  // Paused longer than the other waits, it finds that it leads no more, and ends what it has.
  first.process.kill('SIGSTOP')
  await patiently(() => isServing(second)).toBe(true)
  expect((await store.leadership.get()).token).toBe(2)
  expect(built(second)).toEqual([latest_revision_id])
  expect(await statusAtHost(second)).toBe(200)
  await run(second, thread.thread_id)
  first.process.kill('SIGCONT')
  await patiently(() => agentServers(first)).toBe(0)
  await patiently(() => isServing(first)).toBe(true)
  await run(first, thread.thread_id)

  const gone = once(second.process, 'exit')
  second.process.kill('SIGKILL')
  await gone
  const refused = await sendToAgent(first)
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('1')
  // While nobody leads, it is not what the control plane answers by itself.
  expect(await statusAtHost(first)).toBe(503)
  expect((await call(first, 'GET', `/v2/deployments/${id}`)).status).toBe(200)
  await patiently(() => isServing(first)).toBe(true)
  expect((await store.leadership.get()).token).toBe(3)
  expect(await statusAtHost(first)).toBe(200)
  await run(first, thread.thread_id)
  const state = await sdk(first).threads.getState<{ messages: unknown[] }>(thread.thread_id)
  expect(state.values.messages).toHaveLength(8)

  // One that stops lets another lead at once.
  await first.stop()
  expect(await store.leadership.get()).toMatchObject({ token: 3, holder: null })
})

async function start(): Promise<Installation> {
  const dataDir = temporaryFolder()
  const env = {
    RUNYARD_DATA_DIR: dataDir,
    RUNYARD_PORT: '0',
    RUNYARD_EXAMPLE: '0',
    RUNYARD_LOG_LEVEL: 'silent',
    RUNYARD_ADMIN_KEY: KEY,
    RUNYARD_ENCRYPTION_KEY: encryptionKey.toString('base64'),
    RUNYARD_DATABASE_URL: databaseUrl,
  }
  const up = await startServeProcess(COMMAND, ['up'], { cwd: dataDir, env })
  return { ...up, dataDir }
}

function call({ url }: Installation, method: string, path: string, body?: unknown) {
  return fetch(`${url}${path}`, { method, headers, body: body ? JSON.stringify(body) : null })
}

function sendToAgent({ url }: Installation): Promise<Response> {
  return fetch(`${url}/agents/shared/assistants/search`, { method: 'POST', headers, body: '{}' })
}

/** At the root of the deployment's own host. */
async function statusAtHost({ url }: Installation): Promise<number | undefined> {
  const options = { port: new URL(url).port, path: '/assistants/search', method: 'POST' }
  const asked = request({ ...options, headers: { ...headers, host: HOST } })
  asked.end('{}')
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}

async function isServing(one: Installation): Promise<boolean> {
  const response = await sendToAgent(one)
  await response.text()
  return response.status === 200
}

function sdk({ url }: Installation): Client {
  return new Client({ apiUrl: `${url}/agents/shared`, apiKey: KEY })
}

async function run(one: Installation, thread_id: string): Promise<void> {
  const input = { messages: [{ role: 'user', content: 'Hello' }] }
  const events = []
  for await (const { event } of sdk(one).runs.stream(thread_id, 'agent', { input })) {
    events.push(event)
  }
  expect(events).toContain('values')
  expect(events).not.toContain('error')
}

/** The revisions that were built in its data folder. */
function built({ dataDir }: Installation): string[] {
  try {
    return readdirSync(`${dataDir}/builds/revisions`)
  } catch {
    return []
  }
}

function agentServers({ dataDir }: Installation): number {
  return processesIn(dataDir).filter(({ command }) => command.includes('--managed')).length
}

function patiently<T>(read: () => T) {
  return expect.poll(read, { timeout: 90_000, interval: 100 })
}

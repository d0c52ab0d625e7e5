/** A deployed agent server is killed: what it had accepted is finished, and open answers go on. */
import { mkdirSync, mkdtempSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Client } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createGitRepository, type GitRepository } from '../support/control-plane/git-repository.ts'
import { processesIn } from '../support/processes/processes.ts'
import { startRunyard, type TestRunyard } from '../support/processes/runyard.ts'

const root = resolve(import.meta.dirname, '../..')
const isLinux = process.platform === 'linux'

let runyard: TestRunyard
let repository: GitRepository
let client: Client
beforeAll(async () => {
  // Below the packages of this checkout: the fixture is deployed without an install of its own.
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  runyard = await startRunyard({ dataDir: mkdtempSync(join(cache, 'runyard-e2e-')) })
  repository = createGitRepository(join(root, 'test/fixtures/projects/echo'))
  client = await deploy()
})
afterAll(async () => {
  await runyard.stop()
  repository.remove()
})

it.runIf(isLinux)(
  'finishes accepted runs once and in order (finds the process in /proc)',
  async () => {
    const { thread_id } = await client.threads.create()
    const create = (label: string) =>
      client.runs.create(thread_id, 'slow', { input: { label, count: 6, ms: 50 } })
    await create('a')
    const last = await create('b')
    await expect.poll(() => stepsOf(client, thread_id)).toContain('a:2')

    killAgentServer()
    await expect.poll(() => statusOf(client, thread_id, last.run_id)).toBe('success')
    const wanted = ['a', 'b'].flatMap((label) => [1, 2, 3, 4, 5, 6].map((n) => `${label}:${n}`))
    expect(await stepsOf(client, thread_id)).toEqual(wanted)
  },
)

it.runIf(isLinux)(
  'goes on with the answers that were open, without a gap and without a repetition',
  async () => {
    const answers = await openAnswers()
    killAgentServer()
    expect(await endOf(answers)).toContain('"attempt":2')
  },
)

const COUNT = 20

/** A run that is streamed and one that is waited for, in the middle of which it comes back. */
async function openAnswers() {
  const run = { input: { label: 'c', count: COUNT, ms: 500 }, stream_mode: ['updates', 'custom'] }
  const [streamed, waited] = [await client.threads.create(), await client.threads.create()]
  const response = await create(`/threads/${streamed.thread_id}/runs/stream`, run)
  const values = create(`/threads/${waited.thread_id}/runs/wait`, run).then((it) => it.json())
  const whole = Promise.all([values, response.text()])
  whole.catch(() => {})
  await expect.poll(() => stepsOf(client, streamed.thread_id)).toContain('c:4')
  await expect.poll(() => stepsOf(client, waited.thread_id)).toContain('c:4')
  return { whole, location: String(response.headers.get('location')) }
}

/** Both are whole, and the stream is what the log has. Returns the stream. */
async function endOf({ whole, location }: Awaited<ReturnType<typeof openAnswers>>) {
  const [values, seen] = await whole
  const wanted = Array.from({ length: COUNT }, (_, i) => `c:${i + 1}`)
  expect(values).toMatchObject({ steps: wanted })
  for (const step of wanted) expect(seen).toContain(`"${step}"`)
  const logged = await ask(location, { headers: { 'last-event-id': '-1' } })
  expect(withoutHeartbeats(seen)).toBe(withoutHeartbeats(await logged.text()))
  return seen
}

function killAgentServer(): void {
  const server = processesIn(runyard.dataDir).find(({ command }) => / serve /.test(command))
  process.kill(server?.pid ?? expect.fail('there is no agent server'), 'SIGKILL')
}

function create(path: string, body: object): Promise<Response> {
  const run = JSON.stringify({ assistant_id: 'slow', ...body })
  return ask(path, { method: 'POST', body: run, headers: { 'content-type': 'application/json' } })
}

function ask(path: string, { headers, ...init }: RequestInit): Promise<Response> {
  const sent = { 'x-api-key': runyard.adminKey, ...(headers as Record<string, string>) }
  return fetch(`${runyard.url}/agents/crashing${path}`, { ...init, headers: sent })
}

function withoutHeartbeats(events: string): string {
  return events.replaceAll(': heartbeat\n', '')
}

async function deploy(): Promise<Client> {
  const created = await runyard.call('POST', '/v2/deployments', {
    name: 'crashing',
    source: 'github',
    source_config: { repo_url: repository.url, install_command: 'true' },
    source_revision_config: { repo_ref: 'main', langgraph_config_path: 'langgraph.json' },
    secrets: [],
  })
  const deployment = created.body as { id: string; latest_revision_id: string }
  expect(await runyard.untilOver(deployment)).toMatchObject({ status: 'DEPLOYED' })
  const apiUrl = `${runyard.url}/agents/crashing`
  return new Client({ apiUrl, apiKey: runyard.adminKey, callerOptions: { maxRetries: 0 } })
}

async function stepsOf(client: Client, thread_id: string): Promise<string[]> {
  const { values } = await client.threads.getState<{ steps?: string[] }>(thread_id)
  return values.steps ?? []
}

/** While nothing serves, the gateway answers 503; that is no status. */
async function statusOf(client: Client, thread_id: string, run_id: string): Promise<string> {
  return client.runs.get(thread_id, run_id).then(
    (run) => run.status,
    () => 'not answered',
  )
}

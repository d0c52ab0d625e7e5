/**
 * The agent server in few files, started as the process driver starts it, with everything switched on that it loads only
 * then: what works in the sources may be missing in a bundle.
 */
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CALLER_HEADER } from '../../src/core/deployment/internal-requests.ts'
import { collect } from '../support/agent/collect.ts'
import { startReceiver, type WebhookReceiver } from '../support/agent/webhook-receiver.ts'
import { writeProject } from '../support/hosts/bundled-project.ts'
import { installHostPython, NO_PYTHON } from '../support/hosts/python.ts'
import { freshPostgres } from '../support/postgres/postgres.ts'
import {
  GATEWAY,
  type ManagedServe,
  startManagedServe,
} from '../support/processes/managed-serve.ts'
import { run } from '../support/processes/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** Beside `dist`, whose own bundle deployments of other tests start from. */
const BUNDLE = join(ROOT, 'node_modules/.cache/bundled-server')

/** What the bundle has and an agent server never imports: parts of builds, and of commands that share their files. */
const OF_OTHERS = ['bundle', 'commander', 'finding', 'progress', 'reporter', 'task']
/** A server that starts has no use for it. */
const OF_FAILURES = ['start-failure', 'unpack-own']

const FILES = {
  'package.json': '{ "type": "module" }',
  'agent.ts': `
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', ({ messages }) => ({ messages: [{ role: 'ai', content: 'heard ' + messages.at(-1)?.content }] }))
  .addEdge('__start__', 'answer')
  .addEdge('answer', '__end__')
  .compile()
`,
  'agent.py': `
from langgraph.graph import MessagesState, StateGraph


def answer(state: MessagesState) -> dict:
    return {"messages": [{"role": "ai", "content": "heard " + state["messages"][-1].content}]}


graph = StateGraph(MessagesState).add_node(answer).add_edge("__start__", "answer").compile()
`,
  'embed.ts':
    'export const embed = async (texts: string[]) => texts.map((text) => [text.length, 1])\n',
  'app.ts': `
import { Hono } from 'hono'
export const app = new Hono().get('/own', (c) => c.text('own'))
`,
  '.env': 'OF_THE_FILE=read\n',
  'ui.ts': "export default { note: () => 'a note' }\n",
}

const python = NO_PYTHON ? {} : { python: './agent.py:graph' }
const languages = NO_PYTHON ? ['agent'] : ['agent', 'python']
const input = { messages: [{ role: 'user', content: 'hello' }] }

const folder = temporaryFolder()
let receiver: WebhookReceiver
let environment: NodeJS.ProcessEnv
beforeAll(async () => {
  // Parts of older bundles stay in a folder for a day.
  await rm(BUNDLE, { recursive: true, force: true })
  const to = relative(ROOT, BUNDLE)
  await run(process.execPath, [join(ROOT, 'scripts/bundle-server.mjs'), 'src', to], { cwd: ROOT })
  receiver = await startReceiver()
  await writeProject(folder, {
    ...FILES,
    // Its rules are those of Python where a graph is in Python, and of JavaScript in the other file.
    'langgraph.json': JSON.stringify({
      env: '.env',
      graphs: { agent: './agent.ts:graph', ...python },
      http: { app: './app.ts:app' },
      ui: { agent: './ui.ts' },
      store: { index: { embed: './embed.ts:embed', dims: 2 } },
    }),
    // Embeddings would need an extension of PostgreSQL.
    'plain.json': JSON.stringify({
      env: '.env',
      graphs: { agent: './agent.ts:graph' },
      ui: { agent: './ui.ts' },
    }),
  })
  environment = {
    NODE_OPTIONS: `--import ${pathToFileURL(join(ROOT, 'test/fixtures/note-modules.js'))}`,
    NOTED_MODULES: join(folder, 'modules'),
    RUNYARD_MAX_REQUESTS_PER_SECOND: '1000',
    RUNYARD_MAX_PENDING_RUNS: '1000',
    RUNYARD_WEBHOOK_ALLOW: 'loopback',
    RUNYARD_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
    RUNYARD_LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    ...(!NO_PYTHON && { VIRTUAL_ENV: dirname(dirname(await installHostPython())) }),
  }
}, 300_000)
afterAll(async () => {
  await receiver.close()
})

const databases = [
  { database: 'SQLite', config: 'langgraph.json', graphs: languages, where: async () => ({}) },
  {
    ...{ database: 'PostgreSQL', config: 'plain.json', graphs: ['agent'] },
    where: async () => ({ databaseUrl: await freshPostgres() }),
  },
]

describe.each(databases)('the bundled agent server on $database', (place) => {
  const { config, graphs, where, database } = place
  let server: ManagedServe | undefined
  let client: Client
  beforeAll(async () => {
    server = await startManagedServe({
      configPath: join(folder, config),
      dataDir: join(folder, database),
      program: join(BUNDLE, 'agent-program.js'),
      env: environment,
      message: await where(),
    })
    client = new Client({ apiUrl: server.url, apiKey: null, defaultHeaders: GATEWAY })
  }, 120_000)
  afterAll(async () => {
    if (!server) return
    const gone = once(server.process, 'exit')
    server.process.kill('SIGTERM')
    await gone
  })

  const ask = async (
    path: string,
    init: { method?: string; body?: object; headers?: object } = {},
  ) => {
    const { method = init.body ? 'POST' : 'GET', body, headers: more } = init
    const headers = { ...GATEWAY, accept: 'application/json, text/event-stream', ...more }
    const sent = body ? { body: JSON.stringify(body) } : {}
    const response = await fetch(`${server?.url}${path}`, { method, headers, ...sent })
    return { status: response.status, text: await response.text() }
  }

  it.each(graphs)('runs %s, on a thread and without, streamed and waited for', async (graph) => {
    const { thread_id } = await client.threads.create({ metadata: { from: 'the bundle' } })
    const waited = JSON.stringify(await client.runs.wait(thread_id, graph, { input }))
    expect(waited).toContain('heard hello')
    const streamMode = ['values', 'messages', 'updates'] as const
    const parts = await collect(
      client.runs.stream(null, graph, { input, streamMode: [...streamMode] }),
    )
    expect(JSON.stringify(parts)).toContain('heard hello')
    expect(parts.map(({ event }) => event)).not.toContain('error')
    expect((await client.threads.getHistory(thread_id)).length).toBeGreaterThan(1)
    const found = await client.threads.search({ metadata: { from: 'the bundle' }, limit: 1 })
    expect(found).toHaveLength(1)
    const [assistant] = await client.assistants.search({ graphId: graph })
    const schemas = await client.assistants.getSchemas(assistant?.assistant_id ?? '')
    expect(schemas.input_schema).toHaveProperty('properties.messages')
  })

  it('keeps items and crons', async () => {
    await client.store.putItem(['a'], 'key', { text: 'hello' })
    const semantic = config === 'langgraph.json' ? { query: 'hello' } : {}
    expect((await client.store.searchItems(['a'], semantic)).items).toHaveLength(1)
    const { cron_id } = await client.crons.create('agent', { schedule: '0 7 29 2 *', input })
    await client.crons.delete(cron_id)
  })

  it('posts webhooks and push notifications', async () => {
    const before = receiver.received.length
    await client.runs.wait(null, 'agent', { input, webhook: `${receiver.url}/done` })
    const message = { messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hello' }] }
    const pushNotificationConfig = { url: `${receiver.url}/pushed` }
    const params = { message, configuration: { blocking: false, pushNotificationConfig } }
    const body = { jsonrpc: '2.0', id: 1, method: 'message/send', params }
    const [assistant] = await client.assistants.search({ graphId: 'agent' })
    const sent = await ask(`/a2a/${assistant?.assistant_id}`, { body })
    expect(sent).toMatchObject({ status: 200, text: expect.stringContaining('"result"') })
    const since = () => receiver.received.slice(before).map(({ path }) => path)
    await expect.poll(since).toEqual(expect.arrayContaining(['/done', '/pushed']))
  })

  it('answers MCP', async () => {
    const call = { name: 'agent', arguments: input }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }
    const answer = await ask('/mcp', { body })
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('heard hello') })
  })

  it('tells of itself', async () => {
    expect((await ask('/metrics', { headers: { [CALLER_HEADER]: 'ann' } })).text).toContain(
      'runyard_http_requests_total',
    )
    expect((await ask('/info')).status).toBe(200)
    expect((await ask('/openapi.json')).status).toBe(200)
    expect((await ask('/docs')).status).toBe(200)
    expect((await ask('/docs/swagger-ui.css')).status).toBe(200)
    expect((await ask('/ui/agent/entrypoint.js')).status).toBe(200)
    expect((await ask('/.well-known/agent-card.json?assistant_id=agent')).status).toBe(200)
    if (config === 'langgraph.json') expect((await ask('/own')).text).toBe('own')
  })

  it('sends its spans', async () => {
    await expect.poll(() => receiver.received.map(({ path }) => path)).toContain('/v1/traces')
  })

  it('has had no fault', () => {
    expect(server?.output()).not.toMatch(/"level":"error"|is not a (constructor|function)/)
  })
})

/** Their names without the digest. */
function lateParts(): Map<string, string> {
  const texts = readdirSync(BUNDLE)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(BUNDLE, name), 'utf8'))
  const names = texts.flatMap(
    (text) => text.match(/(?<=\bimport\("\.\/)[\w-]+-[A-Z0-9]{8}\.js(?="\))/g) ?? [],
  )
  return new Map(names.map((name) => [name, name.replace(/-[A-Z0-9]{8}\.js$/, '')]))
}

it('has been asked for everything that it imports late', () => {
  const noted = readFileSync(join(folder, 'modules'), 'utf8')
  const missing = [...lateParts()].flatMap(([file, name]) => (noted.includes(file) ? [] : [name]))
  const ofPython = NO_PYTHON
    ? ['joined', 'host', 'environment', 'host-config', 'interpreter', 'python-env']
    : []
  const allowed = [...OF_OTHERS, ...OF_FAILURES, ...ofPython]
  expect(missing.filter((name) => !allowed.includes(name))).toEqual([])
})

it('can evaluate every one of its files', async () => {
  const files = [...lateParts().keys()].filter((name) => existsSync(join(BUNDLE, name)))
  const urls = files.map((name) => pathToFileURL(join(BUNDLE, name)).href)
  const script = `for (const url of ${JSON.stringify(urls)}) await import(url)`
  await run(process.execPath, ['--input-type=module', '--eval', `${script}; process.exit(0)`])
})

/** A Runyard that has been used for a while: what pictures of the dashboard show. */
import { join } from 'node:path'
import { Client } from '@langchain/langgraph-sdk'
import { dataOf } from '../../../client/src/client.ts'
import { DOMAIN_CERTIFICATE } from '../gateway/certificate.ts'
import { writeProject } from '../hosts/bundled-project.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import type { Dashboard } from './dashboard.ts'

/** Ids of what pages are about. */
export interface LivedIn {
  /** A conversation with tools, which asks before it books; it has domains. */
  travel: {
    deployment: string
    revision: string
    assistant: string
    thread: string
    /** Of the thread that waits for an answer. */
    asking: string
    run: string
  }
  /** One with crons, and with items in its store, which is public. */
  orders: { deployment: string }
  /** One whose second revision could not be built. */
  billing: { deployment: string; failedRevision: string }
}

const CONVERSATIONS = [
  ['What is the weather in Oslo?', 'And in Lisbon?'],
  ['Hello, I would like to travel', 'What is the weather in Kyoto?'],
  ['What is the weather in Reykjavik?'],
]
const WISHES = ['a table for four at eight', 'a night train to Vienna', 'two seats by the window']

/** `folder`: for projects that it writes. */
export async function liveIn(dashboard: Dashboard): Promise<LivedIn> {
  const folder = temporaryFolder()
  await dashboard.deploy('example', 'examples/agent')
  await dashboard.deploy('travel-agent', 'examples/chat-ui')
  await dashboard.deploy('order-desk', 'test/fixtures/projects/echo')
  const billing = await deployTwice(dashboard, join(folder, 'billing'))
  const travel = await converse(dashboard)
  await workAtOrders(dashboard)
  await addPeople(dashboard)
  const orders = { deployment: (await found(dashboard, 'order-desk')).id }
  await addDomains(dashboard, travel.deployment)
  await openToAll(dashboard, orders.deployment)
  return { travel, orders, billing }
}

async function converse(dashboard: Dashboard): Promise<LivedIn['travel']> {
  const client = clientOf(dashboard, 'travel-agent')
  let [thread, run] = ['', '']
  for (const lines of CONVERSATIONS) {
    thread = (await client.threads.create({ metadata: { customer: 'ann' } })).thread_id
    for (const line of lines) run = await say(client, thread, line)
  }
  let asking = ''
  for (const wish of WISHES) {
    asking = (await client.threads.create({ metadata: { customer: 'ben' } })).thread_id
    await say(client, asking, 'What is the weather in Vienna?')
    await say(client, asking, `Please book ${wish}`)
  }
  const { id: deployment, active_revision_id } = await found(dashboard, 'travel-agent')
  const revision = active_revision_id ?? ''
  return { deployment, revision, assistant: 'chat', thread, asking, run }
}

/** The run's id, when it is over. */
async function say(client: Client, thread_id: string, content: string): Promise<string> {
  const input = { messages: [{ role: 'user', content }] }
  const { run_id } = await client.runs.create(thread_id, 'chat', { input })
  await client.runs.join(thread_id, run_id)
  return run_id
}

async function workAtOrders(dashboard: Dashboard): Promise<void> {
  const client = clientOf(dashboard, 'order-desk')
  const runs: [assistant: string, input: Record<string, unknown>][] = [
    ['parent', { text: 'order 1041' }],
    ['slow', { label: 'stock', count: 12, ms: 40 }],
    ['fail', { reason: 'The warehouse answered 503: no shelf 14' }],
    ['ask', { question: 'Refund order 1038?' }],
    ['agent', { messages: [{ role: 'user', content: 'Where is order 1029?' }] }],
  ]
  for (const [assistant, input] of runs) {
    const { thread_id } = await client.threads.create({ metadata: { desk: 'north' } })
    const { run_id } = await client.runs.create(thread_id, assistant, { input })
    await client.runs.join(thread_id, run_id)
  }
  await client.crons.create('slow', { schedule: '0 7 * * 1-5', input: { label: 'morning' } })
  await client.crons.create('agent', { schedule: '*/30 * * * *', input: { messages: [] } })
  await client.store.putItem(['customers', 'ann'], 'likes', { food: 'Japanese', seat: 'aisle' })
  await client.store.putItem(['customers', 'ben'], 'likes', { food: 'Nordic', seat: 'window' })
  await client.store.putItem(['policies'], 'refunds', { days: 30, needs_approval_above: 200 })
}

async function deployTwice(dashboard: Dashboard, folder: string): Promise<LivedIn['billing']> {
  const files = {
    'package.json': JSON.stringify({
      type: 'module',
      dependencies: { '@langchain/core': '^1.2.13', '@langchain/langgraph': '^1.1.0' },
    }),
    'langgraph.json': JSON.stringify({ graphs: { agent: './graph.ts:graph' } }),
    'graph.ts': GRAPH,
  }
  await writeProject(folder, files)
  await dashboard.deploy('billing-agent', folder)
  await writeProject(`${folder}-next`, { ...files, 'graph.ts': `import './prices.ts'\n${GRAPH}` })
  const { id } = await dashboard.deploy('billing-agent', `${folder}-next`)
  return { deployment: (await found(dashboard, 'billing-agent')).id, failedRevision: id }
}

const GRAPH = `import { Annotation, StateGraph } from '@langchain/langgraph'
const State = Annotation.Root({ invoice: Annotation<string>, total: Annotation<number> })
export const graph = new StateGraph(State)
  .addNode('add', () => ({ total: 42 }))
  .addEdge('__start__', 'add')
  .compile()
`

async function addDomains({ client: { api } }: Dashboard, deployment_id: string): Promise<void> {
  const params = { path: { deployment_id } }
  const bodies = [
    { host: 'agents.example.com', ...DOMAIN_CERTIFICATE },
    { host: 'travel.example.org' },
  ]
  for (const body of bodies) {
    await dataOf(api.POST('/v2/deployments/{deployment_id}/domains', { params, body }))
  }
}

async function openToAll({ client: { api } }: Dashboard, deployment_id: string): Promise<void> {
  const params = { path: { deployment_id } }
  await dataOf(api.PATCH('/v2/deployments/{deployment_id}', { params, body: { is_public: true } }))
}

async function addPeople({ client: { api } }: Dashboard): Promise<void> {
  const in90Days = new Date(Date.now() + 90 * 86_400_000).toISOString()
  const keys = [
    { name: 'nightly report', role: 'agent', expires_at: in90Days },
    { name: 'deploys from CI', role: 'developer' },
    { name: 'auditor', role: 'viewer' },
  ] as const
  for (const body of keys) await api.POST('/v2/api-keys', { body })
  await api.POST('/v2/workspaces', { body: { name: 'Research' } })
}

async function found({ client }: Dashboard, name: string) {
  const deployment = await client.findDeployment(name)
  if (!deployment) throw new Error(`There is no deployment ${name}.`)
  return deployment
}

function clientOf({ url, runyard }: Dashboard, name: string): Client {
  return new Client({ apiUrl: `${url}/agents/${name}`, apiKey: runyard.adminKey })
}

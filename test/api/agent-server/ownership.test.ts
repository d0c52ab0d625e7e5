/** Every operation with two users: what is Alice's is not there for Bob, and stays as it is. */
import type { Client } from '@langchain/langgraph-sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { nameOf, type Operation, operationsOf, readDocument } from '../../contract/document.ts'
import { clientOf, startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'
import { DECISIONS, type Decision, NOTE, STANDING_URL, type World } from './ownership-decisions.ts'

const SECRET = 'a secret of Alice'

const document = readDocument('agent-server')
const operations = operationsOf(document)
const isOpen = ({ operation }: Operation) => operation.security?.length === 0

let alice: Client
/** Only looked for in vain. */
let shared: World

const standingWebhooks = [{ url: STANDING_URL, events: 'failures' }] as const
const server = forAllTests(() => startAgentServer({ projectName: 'owned', standingWebhooks }))
beforeAll(async () => {
  alice = clientOf(server.url, 'alice')
  shared = await makeWorld()
})

/** Fresh things of Alice's. */
async function makeWorld(): Promise<World> {
  const { assistant_id } = await alice.assistants.create({
    graphId: 'agent',
    name: SECRET,
    metadata: { note: SECRET },
  })
  const newThread = () => alice.threads.create({ metadata: { note: SECRET } })
  const { thread_id } = await newThread()
  const input = { question: SECRET }
  const done = await alice.runs.create(thread_id, assistant_id, { input, webhook: '/nowhere' })
  await alice.runs.join(thread_id, done.run_id)
  const { checkpoint } = await alice.threads.getState(thread_id)
  const waiting = await newThread()
  const later = { input, afterSeconds: 600 }
  const { run_id } = await alice.runs.create(waiting.thread_id, assistant_id, later)
  await alice.store.putItem(NOTE.namespace, NOTE.key, { note: SECRET })
  const cron = { schedule: '@yearly', input, metadata: { note: SECRET } }
  const { cron_id } = (await alice.crons.create(assistant_id, cron)) as unknown as World
  const deliveries = await ask('GET', `/webhooks/deliveries?thread_id=${thread_id}`, 'alice')
  const timeline = await ask('GET', `/threads/${thread_id}/runs/${done.run_id}/timeline`, 'alice')
  const { spans } = (await timeline.json()) as { spans: { span_id: string }[] }
  return {
    assistant_id,
    thread_id,
    span_id: spans[0]?.span_id ?? '',
    run_id: done.run_id,
    checkpoint_id: String(checkpoint.checkpoint_id),
    waiting: { thread_id: waiting.thread_id, run_id },
    cron_id,
    delivery_id: ((await deliveries.json()) as { delivery_id: string }[])[0]?.delivery_id ?? '',
  }
}

/** All that there is to see of them. */
async function look(world: World): Promise<unknown> {
  const { threads, runs, assistants } = alice
  const { thread_id, waiting } = world
  return [
    await assistants.get(world.assistant_id),
    await threads.get(thread_id),
    await threads.getState(thread_id),
    await threads.getHistory(thread_id),
    await runs.list(thread_id),
    await threads.get(waiting.thread_id),
    await runs.list(waiting.thread_id),
    await alice.store.getItem(NOTE.namespace, NOTE.key),
    await (await ask('GET', `/runs/crons/${world.cron_id}`, 'alice')).json(),
  ]
}

function ask(method: string, path: string, user?: string, body?: unknown): Promise<Response> {
  const headers = {
    accept: 'application/json, text/event-stream',
    ...(user !== undefined && { authorization: `Bearer ${user}` }),
  }
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  return fetch(server.url + path, { method, headers, ...init })
}

function decisionOf(operation: Operation): Decision {
  const decision = DECISIONS[nameOf(operation)]
  if (decision) return decision
  throw new Error(`${nameOf(operation)} has no row in ownership-decisions.ts.`)
}

async function askAs(user: string | undefined, operation: Operation, world: World) {
  const { path, query, body, isEndless } = decisionOf(operation)
  const values = path?.(world) ?? { ...world }
  const place = operation.path.replace(/\{(\w+)\}/g, (_, name) => String(values[name]))
  const search = new URLSearchParams(query?.(world)).toString()
  const target = search ? `${place}?${search}` : place
  const response = await ask(operation.method, target, user, body?.(world))
  if (isEndless && response.ok) await response.body?.cancel()
  else return { status: response.status, text: await response.text() }
  return { status: response.status, text: '' }
}

test('each operation has a decision, and each decision an operation', () => {
  expect(Object.keys(DECISIONS).toSorted()).toEqual(operations.map(nameOf).toSorted())
})

describe.each(operations.map((operation) => [nameOf(operation), operation] as const))(
  '%s',
  (_, operation) => {
    const decision = decisionOf(operation)

    test('keeps what is of one user from another', async () => {
      const world = await makeWorld()
      const before = await look(world)
      const theirs = await askAs('bob', operation, world)
      expect(theirs.text).not.toContain(SECRET)
      expect(await look(world)).toEqual(before)
      const own = await askAs('alice', operation, world)
      if (decision.answer) expect(own.status).toBe(decision.answer)
      else expect(own).toMatchObject({ status: expect.toSatisfy((status) => status < 300) })
      if (decision.isRpc) expect(own.text).not.toMatch(/"error":("|\{"code")/)
      if (decision.for !== 'hidden') expect(theirs.status).toBe(own.status)
      else if (decision.isRpc) expect(theirs.text).toContain('"error"')
      else expect(theirs.status).toBe(decision.status ?? 404)
      if (decision.for === 'narrowed') expect(own.text).not.toBe(theirs.text)
    })

    test('asks who it is, and whether they may', async () => {
      const { status } = await askAs(undefined, operation, shared)
      if (isOpen(operation)) expect(status).toBe(200)
      else expect(status).toBe(401)
      if (decision.for === 'same') return
      const refused = await askAs('nobody', operation, shared)
      if (decision.isRpc) expect(refused.text).toContain('"error"')
      else expect(refused).toMatchObject({ status: 403 })
    })
  },
)

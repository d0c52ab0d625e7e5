/** A column that no schema names is in no answer: not of the rows themselves, and not in what webhooks post. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AgentStore } from '../../../src/core/agent/agent-store.ts'
import { isObject, type JsonObject } from '../../../src/core/json.ts'
import { parseIpRange } from '../../../src/core/network/ip-range.ts'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { startReceiver, type WebhookReceiver } from '../../support/agent/webhook-receiver.ts'

const COLUMN = 'column_of_tomorrow'

/** What rows have and JSON in them has not. */
const KEYS = ['created_at', 'updated_at', 'checkpoint_ns', 'span_id']

let rows = 0

function withColumn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withColumn)
  if (!isObject(value)) return value
  const members = ['run', 'threads', 'timeline'].filter((name) => name in value)
  const inside = members.map((name) => [name, withColumn(value[name])])
  const isRow = KEYS.some((key) => key in value)
  if (isRow) rows += 1
  return { ...value, ...Object.fromEntries(inside), ...(isRow && { [COLUMN]: 'secret' }) }
}

/** A store all of whose rows have one column more. */
function withColumnEverywhere(store: AgentStore): AgentStore {
  const around = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return isStore(member) ? around(member) : member
        if (name === 'transaction') {
          const { transaction } = store
          return (work: (tx: AgentStore) => Promise<unknown>, ...more: []) =>
            transaction.call(store, (tx) => work(around(tx)), ...more)
        }
        return (...given: unknown[]) => {
          const found: unknown = member.apply(target, given)
          return found instanceof Promise ? found.then(withColumn) : found
        }
      },
    })
  return around(store)
}

const isStore = (member: unknown): member is object =>
  typeof member === 'object' && member !== null && !(member instanceof Map)

let server: RunningAgentServer
let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await startReceiver()
  server = await startAgentServer({
    storeOver: withColumnEverywhere,
    webhooks: { allowedAddresses: parseIpRange('loopback') ?? [] },
  })
})
afterAll(async () => {
  expect(rows).toBeGreaterThan(20)
  await server.stop()
  await receiver.close()
})

async function ask(method: string, path: string, body?: object): Promise<string> {
  const sent = body && { body: JSON.stringify(body) }
  const response = await fetch(server.url + path, { method, ...sent })
  const text = await response.text()
  expect(response.ok, `${method} ${path}: ${text}`).toBe(true)
  expect(text, `${method} ${path}`).not.toContain(COLUMN)
  return text
}
const made = async (path: string, body: object) =>
  JSON.parse(await ask('POST', path, body)) as JsonObject

test('assistants', async () => {
  const { assistant_id } = await made('/assistants', { graph_id: 'agent' })
  const path = `/assistants/${assistant_id}`
  await ask('GET', path)
  await ask('PATCH', path, { name: 'Echo' })
  await ask('POST', `${path}/versions`, {})
  await ask('POST', `${path}/latest`, { version: 1 })
  await ask('POST', '/assistants/search', {})
  await ask('POST', '/assistants/search', { select: ['name'] })
})

test('threads, their runs and the webhook of a run', async () => {
  const { thread_id } = await made('/threads', {})
  const path = `/threads/${thread_id}`
  const asked = { assistant_id: 'agent', input: { messages: [] } }
  const { run_id } = await made(`${path}/runs`, { ...asked, webhook: receiver.url })
  await ask('GET', `${path}/runs/${run_id}/join`)
  for (const one of ['', '?include=ttl', '/storage', '/state', '/history', '/runs']) {
    await ask('GET', path + one)
  }
  await ask('GET', `${path}/runs/${run_id}`)
  await ask('GET', `${path}/runs/${run_id}/timeline`)
  await ask('GET', `${path}/runs/${run_id}/stream`)
  await ask('POST', `${path}/copy`)
  await ask('PATCH', path, { metadata: { a: 1 } })
  await ask('POST', '/threads/search', {})
  await ask('POST', '/threads/search', { extract: { first: 'metadata.a' } })
  await ask('POST', '/runs/search', {})
  await ask('POST', '/runs/batch', [asked])
  await ask('POST', '/runs/wait', asked)
  await receiver.count(1)
  expect(receiver.received[0]?.body).toContain(String(run_id))
  expect(receiver.received[0]?.body).not.toContain(COLUMN)
  const [delivery] = JSON.parse(await ask('GET', '/webhooks/deliveries')) as JsonObject[]
  await ask('GET', `/webhooks/deliveries/${delivery?.delivery_id}`)
  await ask('POST', `/webhooks/deliveries/${delivery?.delivery_id}/redeliver`)
})

test('items', async () => {
  await ask('PUT', '/store/items', { namespace: ['a'], key: 'b', value: { c: 1 } })
  await ask('GET', '/store/items?namespace=a&key=b')
  await ask('POST', '/store/items/search', {})
})

test('crons', async () => {
  const { cron_id } = await made('/runs/crons', { assistant_id: 'agent', schedule: '0 9 * * *' })
  const path = `/runs/crons/${cron_id}`
  await ask('POST', `${path}/run`)
  await ask('GET', path)
  await ask('PATCH', path, { enabled: false })
  await ask('POST', '/runs/crons/search', {})
})

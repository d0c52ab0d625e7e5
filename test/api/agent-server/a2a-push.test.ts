/** Who asks to be told of a task is told when it stands still, in the words of their version. */
import { createHmac } from 'node:crypto'
import {
  SendMessageRequest,
  type Task,
  type TaskPushNotificationConfig,
  TaskState,
} from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseIpRange } from '../../../src/core/network/ip-range.ts'
import type { CredentialBox } from '../../../src/core/secret-box.ts'
import { DEFAULT_SCHEMA } from '../../../src/storage/agent/store.ts'
import { createSecretBox } from '../../../src/storage/control-plane/secret-box.ts'
import { openDb } from '../../../src/storage/open-db.ts'
import { agentDatabase } from '../../support/agent/agent-database.ts'
import { type RunningAgentServer, startAgentServer } from '../../support/agent/agent-server.ts'
import { startReceiver, type WebhookReceiver } from '../../support/agent/webhook-receiver.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const SECRET = Buffer.alloc(32, 7)

let server: RunningAgentServer
let receiver: WebhookReceiver

const WEBHOOKS = {
  secrets: [SECRET],
  allowedAddresses: parseIpRange('loopback') ?? [],
  // None is sent twice because a machine is slow.
  timeoutMs: 600_000,
  backoffMs: () => 1,
}

beforeEach(async () => {
  receiver = await startReceiver()
  server = await startAgentServer({ webhooks: WEBHOOKS })
})
afterEach(async () => {
  await server.stop()
  await receiver.close()
})

function clientOf(assistant: string, legacy = false): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    if (legacy) headers.set('a2a-version', '0.3')
    return fetch(input, { ...init, headers })
  }
  const how = { fetchImpl, legacyCompat: { enabled: legacy } }
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory(how)],
    cardResolver: new DefaultAgentCardResolver(how),
  })
  const card = `${server.url}/.well-known/agent-card.json?assistant_id=${assistant}`
  return new ClientFactory(options).createFromUrl(card, '')
}

const about = (more: object = {}): TaskPushNotificationConfig => ({
  ...{ tenant: '', id: '', taskId: '', url: `${receiver.url}/told`, token: 'mine' },
  authentication: { scheme: 'Bearer', credentials: 'theirs' },
  ...more,
})

async function send(client: Client, part: object, configuration: object, more: object = {}) {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [part], ...more }
  return (await client.sendMessage(SendMessageRequest.fromJSON({ message, configuration }))) as Task
}

const AT_ONCE = { returnImmediately: true }

describe.each([{ legacy: false }, { legacy: true }])('a task (0.3: $legacy)', ({ legacy }) => {
  const told = (place: number) => {
    const { json } = receiver.received[place] ?? {}
    const task = legacy ? json : json.task
    return { id: task.id, state: task.status.state }
  }

  it('is told when it ends, signed, with what its client wants to be known by', async () => {
    const client = await clientOf('agent', legacy)
    const wanted = { ...AT_ONCE, taskPushNotificationConfig: about() }
    const { id } = await send(client, { text: 'x' }, wanted)
    await receiver.count(1)
    expect(told(0)).toEqual({ id, state: legacy ? 'completed' : 'TASK_STATE_COMPLETED' })
    const { headers, body } = receiver.received[0] ?? expect.fail('nothing was received')
    expect(headers).toMatchObject({
      authorization: 'Bearer theirs',
      'x-a2a-notification-token': 'mine',
      'content-type': legacy ? 'application/json' : 'application/a2a+json',
    })
    const { 'webhook-id': delivery, 'webhook-timestamp': at } = headers
    const signed = createHmac('sha256', SECRET).update(`${delivery}.${at}.${body}`)
    expect(headers['webhook-signature']).toBe(`v1,${signed.digest('base64')}`)
    const shown = await fetch(`${server.url}/webhooks/deliveries/${delivery}`)
    expect(await shown.text()).not.toMatch(/mine|theirs/)
  })

  it('is told when it asks, and again when it ends', async () => {
    const client = await clientOf('ask', legacy)
    const wanted = { taskPushNotificationConfig: about() }
    const { id } = await send(client, { data: { question: 'why?' } }, wanted)
    await receiver.count(1)
    await send(client, { text: 'because' }, AT_ONCE, { taskId: id })
    await receiver.count(2)
    expect([told(0), told(1)]).toEqual([
      { id, state: legacy ? 'input-required' : 'TASK_STATE_INPUT_REQUIRED' },
      { id, state: legacy ? 'completed' : 'TASK_STATE_COMPLETED' },
    ])
  })

  it('is told by a config that came with an answer', async () => {
    const client = await clientOf('ask', legacy)
    const { id } = await send(client, { data: { question: 'why?' } }, {})
    const wanted = { ...AT_ONCE, taskPushNotificationConfig: about() }
    await send(client, { text: 'because' }, wanted, { taskId: id })
    await receiver.count(1)
    expect(told(0)).toEqual({ id, state: legacy ? 'completed' : 'TASK_STATE_COMPLETED' })
  })

  it('is told by a config that came later, until it is removed', async () => {
    const client = await clientOf('ask', legacy)
    const { id: taskId } = await send(client, { data: { question: 'why?' } }, {})
    const config = await client.createTaskPushNotificationConfig(about({ taskId, id: 'first' }))
    await receiver.count(1)
    expect(told(0).id).toBe(taskId)
    const one = { tenant: '', taskId, id: config.id }
    expect(await client.getTaskPushNotificationConfig(one)).toEqual(config)
    const page = { tenant: '', taskId, pageSize: 0, pageToken: '' }
    const { configs } = await client.listTaskPushNotificationConfig(page)
    expect(configs).toEqual([config])
    await client.deleteTaskPushNotificationConfig(one)
    await send(client, { text: 'because' }, {}, { taskId })
    await expect(client.getTaskPushNotificationConfig(one)).rejects.toThrow('no push config')
    const sent = await fetch(`${server.url}/webhooks/deliveries`)
    expect(await sent.json()).toHaveLength(1)
  })
})

it('refuses what nothing would be sent to, before anything is begun', async () => {
  const client = await clientOf('agent')
  const refused: [object, string][] = [
    [{ url: '/threads' }, 'whole http'],
    [{ url: 'http://10.0.0.1/x' }, '10.0.0.1'],
    [{ url: 'https://user:secret@hooks.example' }, 'password'],
    [{ token: 'a\nb' }, 'ASCII'],
  ]
  for (const [change, reason] of refused) {
    const wanted = { taskPushNotificationConfig: about(change) }
    await expect(send(client, { text: 'x' }, wanted)).rejects.toThrow(reason)
  }
  expect(await server.client.threads.count()).toBe(0)
})

describe('credentials', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = temporaryFolder()
  })

  /** Replaces the server by one with this box. The database stays. */
  async function restart(credentialBox: CredentialBox): Promise<void> {
    await server.stop()
    server = await startAgentServer({ webhooks: WEBHOOKS, dataDir, credentialBox })
  }

  /** A task that asks, with a receiver that has been told so. */
  async function begin() {
    const client = await clientOf('ask')
    const wanted = { taskPushNotificationConfig: about() }
    const { id } = await send(client, { data: { question: 'why?' } }, wanted)
    await receiver.count(1)
    return id
  }

  async function stored(): Promise<string> {
    const db = await openDb(await agentDatabase(dataDir), DEFAULT_SCHEMA)
    const sql = ['config FROM push_configs', 'headers FROM webhook_deliveries']
    const rows = await Promise.all(sql.map((one) => db.all(`SELECT ${one}`)))
    await db.close()
    return JSON.stringify(rows)
  }

  it('are encrypted in the database, and sent by the next server with the same key', async () => {
    await restart(createSecretBox(Buffer.alloc(32, 1)))
    const taskId = await begin()
    expect(await stored()).toMatch(/sealed.*sealed/)
    expect(await stored()).not.toMatch(/mine|theirs|Bearer/)
    await restart(createSecretBox(Buffer.alloc(32, 1)))
    await send(await clientOf('ask'), { text: 'because' }, {}, { taskId })
    await receiver.count(2)
    expect(receiver.received[1]?.headers).toMatchObject({
      authorization: 'Bearer theirs',
      'x-a2a-notification-token': 'mine',
    })
  })

  it('that a server with another key finds fail their delivery, and nothing else', async () => {
    await restart(createSecretBox(Buffer.alloc(32, 1)))
    const taskId = await begin()
    await restart(createSecretBox(Buffer.alloc(32, 2)))
    const client = await clientOf('ask')
    const task = await send(client, { text: 'because' }, {}, { taskId })
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    const read = async () => (await fetch(`${server.url}/webhooks/deliveries?status=failed`)).json()
    await eventually(read).toEqual([
      expect.objectContaining({
        attempt: 8,
        response_status: null,
        error: expect.stringContaining('cannot be decrypted with the key of this agent server'),
      }),
    ])
    expect(receiver.received).toHaveLength(1)
    const page = { tenant: '', taskId, pageSize: 0, pageToken: '' }
    const { configs } = await client.listTaskPushNotificationConfig(page)
    expect(configs).toMatchObject([{ taskId, url: about().url, token: '' }])
    expect(configs[0]?.authentication).toBeUndefined()
  })
})

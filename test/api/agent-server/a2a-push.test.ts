/** Who asks to be told of a task is told when it stands still, in the words of their version. */
import { createHmac } from 'node:crypto'
import { SendMessageRequest, type Task, type TaskPushNotificationConfig } from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseIpRange } from '../../../src/core/ip-range.ts'
import { type RunningAgentServer, startAgentServer } from '../../support/agent-server.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const SECRET = Buffer.alloc(32, 7)

let server: RunningAgentServer
let receiver: WebhookReceiver

beforeEach(async () => {
  receiver = await startReceiver()
  const allowedAddresses = parseIpRange('loopback') ?? []
  // None is sent twice because a machine is slow.
  const webhooks = { secrets: [SECRET], allowedAddresses, timeoutMs: 600_000 }
  server = await startAgentServer({ webhooks })
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

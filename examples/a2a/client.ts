/** Talks to an agent server as another agent would: `node client.ts [address]`. */
import { SendMessageRequest, type Task, TaskState } from '@a2a-js/sdk'
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'

const [address = 'http://127.0.0.1:2024', key] = [process.argv[2], process.env.RUNYARD_API_KEY]

const fetchImpl: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  if (key) headers.set('X-Api-Key', key)
  return fetch(input, { ...init, headers })
}
const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
  transports: [new JsonRpcTransportFactory({ fetchImpl })],
  cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
})
const card = `${address}/.well-known/agent-card.json?assistant_id=travel-desk`
const agent = await new ClientFactory(options).createFromUrl(card, '')
console.log((await agent.getAgentCard()).description)

const asking = await say('I need to go to Zürich tomorrow')
console.log(`${TaskState[asking.status?.state ?? 0]}: ${textOf(asking.status?.message?.parts)}`)

const booked = await say('Yes, please', asking.id)
console.log(`${TaskState[booked.status?.state ?? 0]}: ${textOf(booked.artifacts[0]?.parts)}`)

/** A message; with `taskId` it answers what that task asks. */
async function say(text: string, taskId?: string): Promise<Task> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], taskId }
  return (await agent.sendMessage(SendMessageRequest.fromJSON({ message }))) as Task
}

function textOf(parts: Task['artifacts'][number]['parts'] = []): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('')
}

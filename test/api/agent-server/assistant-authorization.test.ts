/** What a caller may do with assistants, beyond what `ownership.test.ts` asks of every operation. */
import { Client } from '@langchain/langgraph-sdk'
import { expect, test } from 'vitest'
import type { AuthorizationEvent, Authorize } from '../../../src/core/agent/authorization.ts'
import { AppError } from '../../../src/core/errors.ts'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'

let asked: { event: AuthorizationEvent; value: Record<string, unknown> }[] = []

/** Everyone owns what they make and sees nothing else; `guest` may nothing. */
const byOwner: Authorize = async (caller, event, value) => {
  asked.push({ event, value: structuredClone(value) })
  const owner = caller.headers['x-user'] ?? ''
  if (owner === 'guest') throw new AppError('forbidden', 'Guests may not do that.')
  if (event.action === 'create') Object.assign(value.metadata as object, { owner })
  return { owner }
}

const server = forAllTests(() => startAgentServer({ authorize: byOwner }))

function clientOf(user: string): Client {
  const callerOptions = { maxRetries: 0 }
  const defaultHeaders = { 'x-user': user }
  return new Client({ apiUrl: server.url, apiKey: null, defaultHeaders, callerOptions })
}

function assistantsOf(user: string): Client['assistants'] {
  return clientOf(user).assistants
}

const requestsOn = (assistants: Client['assistants'], id: string) => ({
  read: [
    () => assistants.get(id),
    () => assistants.getVersions(id),
    () => assistants.getGraph(id),
    () => assistants.getSchemas(id),
    () => assistants.getSubgraphs(id),
    () => assistants.getSubgraphs(id, { namespace: 'child' }),
  ],
  update: [() => assistants.update(id, { name: 'x' }), () => assistants.setLatest(id, 1)],
  delete: [() => assistants.delete(id)],
})

test('search and count show the caller’s own', async () => {
  const carol = assistantsOf('carol')
  const { assistant_id } = await carol.create({ graphId: 'agent', name: 'mine' })
  await assistantsOf('dave').create({ graphId: 'agent', name: 'theirs' })
  const found = await carol.search({ includePagination: true })
  expect(found.assistants.map((one) => one.assistant_id)).toEqual([assistant_id])
  expect(found.next).toBeNull()
  expect(await carol.count({ graphId: 'agent' })).toBe(1)
  expect(await carol.search({ metadata: { owner: 'dave' } })).toEqual([])
})

test('each operation asks for its own right, and is refused without it', async () => {
  const { assistant_id } = await assistantsOf('alice').create({ graphId: 'parent' })
  const guest = assistantsOf('guest')
  const requests = {
    ...requestsOn(guest, assistant_id),
    create: [() => guest.create({ graphId: 'agent' })],
    search: [() => guest.search(), () => guest.count()],
  }
  for (const [action, list] of Object.entries(requests)) {
    for (const request of list) {
      asked = []
      await expect(request()).rejects.toThrow(/HTTP 403: .*Guests may not/)
      expect(asked.map(({ event }) => event)).toEqual([{ resource: 'assistants', action }])
    }
  }
})

test('a handler sees what is about to be written', async () => {
  const alice = assistantsOf('alice')
  asked = []
  const { assistant_id } = await alice.create({ graphId: 'agent', name: 'a', metadata: { k: 1 } })
  await alice.update(assistant_id, { name: 'b', metadata: { k: 2 } })
  expect(asked.map(({ value }) => value)).toMatchObject([
    { assistant_id, graph_id: 'agent', name: 'a', metadata: { k: 1 } },
    { assistant_id, name: 'b', metadata: { k: 2 } },
  ])
})

test('nobody runs what they may not see; a graph’s own assistant is everyone’s', async () => {
  const { assistant_id } = await assistantsOf('alice').create({ graphId: 'slow' })
  const input = { count: 1, ms: 1 }
  const theirs = clientOf('bob').runs.wait(null, assistant_id, { input })
  await expect(theirs).rejects.toThrow(/HTTP 404: .*No assistant found/)
  for (const [user, id] of [
    ['alice', assistant_id],
    ['bob', 'slow'],
  ] as const) {
    expect(await clientOf(user).runs.wait(null, id, { input })).toMatchObject({ done: 1 })
  }
})

test('removing an assistant removes the threads that the caller may remove', async () => {
  const alice = clientOf('alice')
  const { assistant_id } = await alice.assistants.create({ graphId: 'slow' })
  const { thread_id } = await alice.threads.create()
  await alice.runs.wait(thread_id, assistant_id, { input: { count: 1, ms: 1 } })
  const theirs = { metadata: { assistant_id } }
  const other = await clientOf('bob').threads.create(theirs)
  await alice.assistants.delete(assistant_id, { deleteThreads: true })
  await expect(alice.threads.get(thread_id)).rejects.toThrow('HTTP 404')
  expect(await clientOf('bob').threads.get(other.thread_id)).toMatchObject(theirs)
})

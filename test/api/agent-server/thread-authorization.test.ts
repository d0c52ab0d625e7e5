/** What a caller may do with threads, beyond what `ownership.test.ts` asks of every operation. */
import { Client } from '@langchain/langgraph-sdk'
import { beforeEach, expect, test } from 'vitest'
import type { AuthorizationEvent, Authorize } from '../../../src/core/agent/authorization.ts'
import { AppError } from '../../../src/core/errors.ts'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'

const asked: { event: string; value: Record<string, unknown> }[] = []

/** Everyone owns what they make and sees nothing else; `guest` may do nothing with threads. */
const byOwner: Authorize = async (caller, event, value) => {
  asked.push({ event: nameOf(event), value })
  const owner = caller.headers['x-user'] ?? ''
  if (event.resource !== 'threads') return undefined
  if (owner === 'guest') throw new AppError('forbidden', 'Guests may not use threads.')
  if (event.action === 'create') Object.assign(value.metadata as object, { owner })
  return { owner }
}

function nameOf({ resource, action }: AuthorizationEvent): string {
  return `${resource}:${action}`
}

let thread_id: string

const server = forAllTests(() => startAgentServer({ authorize: byOwner }))

beforeEach(async () => {
  const { threads, runs } = clientFor('alice')
  thread_id = (await threads.create({ metadata: { topic: 'trains' } })).thread_id
  await runs.wait(thread_id, 'ask', { input: { question: 'why?' } })
  asked.length = 0
})

function clientFor(user: string): Client {
  const callerOptions = { maxRetries: 0 }
  const defaultHeaders = { 'x-user': user }
  return new Client({ apiUrl: server.url, apiKey: null, defaultHeaders, callerOptions })
}

async function fetchAs(user: string, method: string, path: string): Promise<void> {
  const response = await fetch(`${server.url}${path}`, { method, headers: { 'x-user': user } })
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
}

/** Each verb on one thread, with the event that it is decided by. */
const VERBS: [string, string, () => Promise<unknown>][] = [
  ['get', 'threads:read', () => clientFor('alice').threads.get(thread_id)],
  ['get state', 'threads:read', () => clientFor('alice').threads.getState(thread_id)],
  [
    'get state at a checkpoint',
    'threads:read',
    () => clientFor('alice').threads.getState(thread_id, { checkpoint_ns: '' } as never),
  ],
  ['get history', 'threads:read', () => clientFor('alice').threads.getHistory(thread_id)],
  ['measure', 'threads:read', () => fetchAs('alice', 'GET', `/threads/${thread_id}/storage`)],
  ['copy', 'threads:read', () => clientFor('alice').threads.copy(thread_id)],
  [
    'patch',
    'threads:update',
    () => clientFor('alice').threads.update(thread_id, { metadata: { a: 1 } }),
  ],
  [
    'update state',
    'threads:update',
    () => clientFor('alice').threads.updateState(thread_id, { values: { question: 'how?' } }),
  ],
  [
    'patch state',
    'threads:update',
    () => clientFor('alice').threads.patchState(thread_id, { a: 1 }),
  ],
  ['delete', 'threads:delete', () => clientFor('alice').threads.delete(thread_id)],
]

test.each(VERBS)('%s asks for %s', async (_n, event, call) => {
  await call()
  expect(asked[0]).toMatchObject({ event, value: { thread_id } })
})

test('pruning passes over what may not be seen', async () => {
  expect(await clientFor('bob').threads.prune([thread_id])).toEqual({ pruned_count: 0 })
  expect(asked).toMatchObject([{ event: 'threads:delete', value: { thread_id } }])
  expect(await clientFor('alice').threads.prune([thread_id])).toEqual({ pruned_count: 1 })
})

test('searching and counting ask for threads:search', async () => {
  const { threads } = clientFor('bob')
  expect(await threads.search({ metadata: { topic: 'trains' } })).toEqual([])
  expect(await threads.count()).toBe(0)
  const value = { metadata: { topic: 'trains' } }
  expect(asked[0]).toMatchObject({ event: 'threads:search', value })
  expect(asked.at(-1)?.event).toBe('threads:search')
  await expect(clientFor('guest').threads.search()).rejects.toThrow('HTTP 403')
  await expect(clientFor('guest').threads.count()).rejects.toThrow('HTTP 403')
})

test('a copy is made in the name of who copies', async () => {
  const copy = await clientFor('alice').threads.copy(thread_id)
  expect(asked.map(({ event }) => event)).toEqual(['threads:read', 'threads:create'])
  expect(asked[1]?.value).toMatchObject({ thread_id: copy.thread_id })
  expect(copy.metadata).toMatchObject({ owner: 'alice', thread_id: copy.thread_id })
})

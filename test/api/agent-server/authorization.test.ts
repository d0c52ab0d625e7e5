/** What a caller may do with runs, beyond what `ownership.test.ts` asks of every operation. */
import { Client } from '@langchain/langgraph-sdk'
import { expect, test } from 'vitest'
import type { Authorize } from '../../../src/core/agent/authorization.ts'
import { AppError } from '../../../src/core/errors.ts'
import { parseIpRange } from '../../../src/core/network/ip-range.ts'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'

/** Everyone owns what they make and sees nothing else; `guest` may make no runs. */
const byOwner: Authorize = async (caller, event, value) => {
  const owner = caller.headers['x-user'] ?? ''
  if (event.resource === 'assistants') return undefined
  if (event.action === 'create_run' && owner === 'guest') {
    throw new AppError('forbidden', 'Guests may not run anything.')
  }
  if (event.action === 'create') Object.assign(value.metadata as object, { owner })
  return { owner }
}

const server = forAllTests(() => startAgentServer({ authorize: byOwner }))

function clientFor(user: string): Client {
  const callerOptions = { maxRetries: 0 }
  const defaultHeaders = { 'x-user': user }
  return new Client({ apiUrl: server.url, apiKey: null, defaultHeaders, callerOptions })
}

const input = { count: 1, ms: 1 }

test('runs that the caller may not see are not there to be ended by their ids', async () => {
  const [alice, bob] = [clientFor('alice'), clientFor('bob')]
  const { thread_id } = await alice.threads.create()
  const { run_id } = await alice.runs.create(thread_id, 'slow', { input, afterSeconds: 600 })
  const theirs = bob.runs.cancelMany({ threadId: thread_id, runIds: [run_id] })
  await expect(theirs).rejects.toThrow('HTTP 404')
  expect((await alice.runs.get(thread_id, run_id)).status).toBe('pending')
})

test('to end all runs is to end those that the caller may', async () => {
  const [alice, bob] = [clientFor('alice'), clientFor('bob')]
  const waiting = async (client: Client) => {
    const { thread_id } = await client.threads.create()
    return client.runs.create(thread_id, 'slow', { input, afterSeconds: 600 })
  }
  const [hers, his] = [await waiting(alice), await waiting(bob)]
  await bob.runs.cancelMany({ status: 'all' })
  expect((await bob.runs.get(his.thread_id, his.run_id)).status).toBe('interrupted')
  expect((await alice.runs.get(hers.thread_id, hers.run_id)).status).toBe('pending')
})

test('an Idempotency-Key does not open the run of someone else', async () => {
  const create = (user: string) =>
    fetch(`${server.url}/runs`, {
      method: 'POST',
      headers: { 'x-user': user, 'idempotency-key': 'the same' },
      body: JSON.stringify({ assistant_id: 'slow', input }),
    })
  expect((await create('alice')).status).toBe(200)
  expect((await create('bob')).status).toBe(404)
  expect((await create('alice')).status).toBe(200)
})

test('an operation that is forbidden is refused with the reason', async () => {
  const refused = clientFor('guest').runs.wait(null, 'slow', { input })
  await expect(refused).rejects.toThrow(/HTTP 403: .*Guests may not/)
})

test('a run without a thread works, and its stream belongs to its caller', async () => {
  const run = await clientFor('alice').runs.create(null, 'slow', { input })
  const theirs = clientFor('bob').runs.joinStream(null, run.run_id).next()
  await expect(theirs).rejects.toThrow('HTTP 404')
  const own = await clientFor('alice').runs.joinStream(null, run.run_id).next()
  expect(own.value).toMatchObject({ event: 'metadata' })
})

test('lists of runs and deliveries end where the project narrows what is searched for, in place', async () => {
  const narrowing: Authorize = async (caller, { resource, action }, value) => {
    const owner = caller.headers['x-user'] ?? ''
    if (resource === 'threads' && (action === 'create' || action === 'search')) {
      value.metadata = { ...(value.metadata as object), owner }
    }
    return undefined
  }
  const webhooks = { allowedAddresses: parseIpRange('loopback') ?? [] }
  const narrow = await startAgentServer({ authorize: narrowing, webhooks })
  try {
    const ask = async (user: string, path: string, body?: object) => {
      const init = body && { method: 'POST', body: JSON.stringify(body) }
      const response = await fetch(`${narrow.url}${path}`, { ...init, headers: { 'x-user': user } })
      return response.json() as Promise<{ thread_id: string; run_id: string }[]>
    }
    const callerOptions = { maxRetries: 0 }
    const defaultHeaders = { 'x-user': 'alice' }
    const alice = new Client({ apiUrl: narrow.url, apiKey: null, defaultHeaders, callerOptions })
    const { thread_id } = await alice.threads.create()
    const webhook = 'http://127.0.0.1:9/'
    await alice.runs.wait(thread_id, 'slow', { input, webhook, metadata: { owner: 'bob' } })
    expect(await ask('alice', '/runs/search', {})).toHaveLength(1)
    expect(await ask('alice', '/runs/search', { metadata: { owner: 'bob' } })).toHaveLength(1)
    expect(await ask('alice', '/webhooks/deliveries')).toHaveLength(1)
    expect(await ask('bob', '/runs/search', {})).toEqual([])
    expect(await ask('bob', '/runs/search', { metadata: { owner: 'bob' } })).toEqual([])
    expect(await ask('bob', '/webhooks/deliveries')).toEqual([])
  } finally {
    await narrow.stop()
  }
})

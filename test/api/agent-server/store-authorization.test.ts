import { Client } from '@langchain/langgraph-sdk'
import { expect, test } from 'vitest'
import type { Authorize } from '../../../src/core/agent/authorization.ts'
import { startAgentServer } from '../../support/agent/agent-server.ts'
import { forAllTests } from '../../support/running.ts'

/**
 * Under `own` everyone has a namespace that only they reach, under `users` one of their name; elsewhere
 * values belong to owners.
 */
const byUser: Authorize = async (caller, event, value) => {
  const owner = caller.headers['x-user'] ?? ''
  if (event.resource !== 'store') return undefined
  const namespace = value.namespace as string[]
  if (namespace[0] === 'own') {
    value.namespace = ['users', owner, ...namespace.slice(1)]
    return undefined
  }
  return namespace[0] === 'users' ? { namespace: { $contains: owner } } : { owner }
}

const server = forAllTests(() => startAgentServer({ authorize: byUser }))

function storeOf(user: string): Client['store'] {
  const callerOptions = { maxRetries: 0 }
  const defaultHeaders = { 'x-user': user }
  return new Client({ apiUrl: server.url, apiKey: null, defaultHeaders, callerOptions }).store
}

const ann = () => storeOf('ann')
const bob = () => storeOf('bob')

test('a filter on the namespace lets its owner put, read, find and remove items', async () => {
  const place = ['users', 'eve', 'notes']
  const eve = storeOf('eve')
  await eve.putItem(place, 'k', { text: 'first' })
  await eve.putItem(place, 'k', { text: 'second' })
  expect((await eve.getItem(place, 'k'))?.value).toEqual({ text: 'second' })
  expect((await eve.searchItems(['users'])).items).toMatchObject([{ namespace: place, key: 'k' }])
  expect((await eve.listNamespaces({ prefix: ['users'] })).namespaces).toContainEqual(place)
  expect((await ann().searchItems(['users', 'eve'])).items).toEqual([])
  for (const key of ['k', 'none']) {
    await expect(ann().putItem(place, key, {})).rejects.toThrow(/HTTP 403.*would not be yours/)
    await expect(ann().deleteItem(place, key)).rejects.toThrow(/HTTP 404.*not found/)
  }
  expect(await eve.getItem(place, 'k')).not.toBeNull()
  await eve.deleteItem(place, 'k')
  expect(await eve.getItem(place, 'k')).toBeNull()
  await eve.deleteItem(place, 'k')
})

test('a handler that changes the namespace decides where items are', async () => {
  await ann().putItem(['own', 'notes'], 'k', { of: 'ann' })
  expect(await bob().getItem(['own', 'notes'], 'k')).toBeNull()
  expect((await bob().searchItems(['own'])).items).toEqual([])
  await bob().deleteItem(['own', 'notes'], 'k')
  const mine = await ann().getItem(['own', 'notes'], 'k')
  expect(mine).toMatchObject({ namespace: ['users', 'ann', 'notes'], value: { of: 'ann' } })
  const { namespaces } = await ann().listNamespaces({ prefix: ['own'] })
  expect(namespaces).toEqual([['users', 'ann', 'notes']])
})

test('items that the caller may not see are not there, and stay as they are', async () => {
  await ann().putItem(['shared'], 'hers', { owner: 'ann' })
  expect(await bob().getItem(['shared'], 'hers')).toBeNull()
  expect((await bob().searchItems(['shared'])).items).toEqual([])
  expect((await bob().listNamespaces({ prefix: ['shared'] })).namespaces).toEqual([])
  const taken = bob().putItem(['shared'], 'hers', { owner: 'bob' })
  await expect(taken).rejects.toThrow(/HTTP 404.*not found/)
  await expect(bob().deleteItem(['shared'], 'hers')).rejects.toThrow(/HTTP 404/)
  expect((await ann().getItem(['shared'], 'hers'))?.value).toEqual({ owner: 'ann' })
})

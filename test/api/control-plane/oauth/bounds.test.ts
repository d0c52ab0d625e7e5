/** How much the vault takes of each. */
import { beforeEach, describe, expect, it } from 'vitest'
import { ADMIN_KEY_ID, DEFAULT_WORKSPACE_ID } from '../../../../src/core/people/api-key.ts'
import { startControlPlane } from '../../../support/control-plane/control-plane.ts'
import {
  anOAuthConsent,
  anOAuthToken,
} from '../../../support/control-plane/control-plane-records.ts'
import { startOAuthProvider } from '../../../support/oauth/oauth-provider.ts'
import { addProvider, ask, giveToken } from '../../../support/oauth/oauth-world.ts'
import { forEachTest } from '../../../support/running.ts'

const DAY_MS = 24 * 3_600_000

const acme = forEachTest(startOAuthProvider)
const world = forEachTest(() => startControlPlane({ isReconciling: false }))
beforeEach(async () => {
  await addProvider(world, acme)
})

const ADMIN = { user_id: ADMIN_KEY_ID, workspace_id: DEFAULT_WORKSPACE_ID }

describe('waits', () => {
  it('are 500 of a caller at once, and any number that only look', async () => {
    const { auth_id } = await ask(world)
    const path = `/v2/auth/wait/${auth_id}`
    const ends = Array.from({ length: 500 }, () => Promise.withResolvers<void>())
    const { wakes } = world.vault
    const waits = ends.map(({ promise }) => wakes.waitingFor(ADMIN, () => promise))
    const refused = await world.call('GET', `${path}?timeout=5`)
    expect(refused).toMatchObject({ status: 429 })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await world.call('GET', `${path}?timeout=0`)).body).toEqual({ status: 'pending' })
    const other = await world.keyOf('agent')
    const theirs = (await ask(world, {}, other)).auth_id
    const waited = await world.call('GET', `/v2/auth/wait/${theirs}?timeout=1`, undefined, other)
    expect(waited.body).toEqual({ status: 'timeout' })
    for (const { resolve } of ends) resolve()
    await Promise.all(waits)
    expect((await world.call('GET', `${path}?timeout=1`)).body).toEqual({ status: 'timeout' })
  })
})

it('waits are 2,000 of a workspace at once', async () => {
  const { auth_id } = await ask(world)
  const ends = Array.from({ length: 2_000 }, () => Promise.withResolvers<void>())
  const { workspace_id } = ADMIN
  const waits = ends.map(({ promise }, i) =>
    world.vault.wakes.waitingFor({ user_id: `caller ${i}`, workspace_id }, () => promise),
  )
  const refused = await world.call('GET', `/v2/auth/wait/${auth_id}?timeout=5`)
  expect(refused).toMatchObject({
    status: 429,
    body: { detail: expect.stringMatching(/^A workspace/) },
  })
  for (const { resolve } of ends) resolve()
  await Promise.all(waits)
  const after = await world.call('GET', `/v2/auth/wait/${auth_id}?timeout=1`)
  expect(after.body).toEqual({ status: 'timeout' })
})

it('a user has 100 accounts of a provider', async () => {
  const { url } = await ask(world)
  const consent = await world.store.oauth.consents.get(url.split('/').at(-1) ?? '')
  const { provider_key, user_id, workspace_id } = consent ?? ({} as never)
  const owner = { provider_key, user_id, workspace_id, end_user_id: 'anna', provider_id: 'acme' }
  await world.store.transaction(async ({ oauth }) => {
    for (let i = 0; i < 100; i++)
      await oauth.tokens.insert(anOAuthToken({ ...owner, is_default: i === 0 }))
  })
  const request = { provider: 'acme', scopes: ['read'], user_id: 'anna', force_new: true }
  const refused = await world.call('POST', '/v2/auth/authenticate', request)
  expect(refused).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('100 accounts') },
  })
})

describe('open links', () => {
  it('are twenty of an owner: the oldest end', async () => {
    const links: string[] = []
    for (let i = 0; i < 21; i++) links.push((await ask(world, { scopes: [`s${i}`] })).url)
    const other = (await ask(world, { user_id: 'bert' })).url
    const opened = [...links, other].map((url) => world.call('GET', url, undefined, null))
    const statuses = (await Promise.all(opened)).map(({ status }) => status)
    expect(statuses).toEqual([410, ...Array(21).fill(200)])
  })

  it('are ten thousand of a caller', async () => {
    const expires_at = world.clock.now() + DAY_MS
    const mine = { workspace_id: DEFAULT_WORKSPACE_ID, user_id: ADMIN_KEY_ID, expires_at }
    await world.store.transaction(async ({ oauth }) => {
      for (let i = 0; i < 10_000; i++) {
        await oauth.consents.insert(anOAuthConsent({ ...mine, end_user_id: `user-${i}` }))
      }
    })
    const request = { provider: 'acme', scopes: ['read'], user_id: 'anna' }
    const refused = await world.call('POST', '/v2/auth/authenticate', request)
    expect(refused).toMatchObject({ status: 429 })
    expect(await ask(world, {}, await world.keyOf('agent'))).toMatchObject({ status: 'pending' })
    world.clock.skip(DAY_MS)
    expect(await ask(world)).toMatchObject({ status: 'pending' })
  })

  it('are forgotten a day after their end', async () => {
    const { auth_id } = await ask(world)
    const find = () => world.store.oauth.consents.get(auth_id)
    world.clock.skip(DAY_MS)
    await world.upkeep.work()
    expect(await find()).toMatchObject({ status: 'expired' })
    world.clock.skip(DAY_MS)
    await world.upkeep.work()
    expect(await find()).toBeUndefined()
  })
})

describe('scopes', () => {
  const scopesOf = (chars: number) => {
    const words = Array.from({ length: Math.ceil(chars / 100) }, (_, i) => `${i}`.padEnd(99, 'x'))
    return [...words.slice(0, -1), 'y'.repeat(chars - (words.length - 1) * 100)]
  }

  it('are 4096 characters in all', async () => {
    expect((await ask(world, { scopes: scopesOf(4096) })).status).toBe('pending')
    const request = { provider: 'acme', scopes: scopesOf(4097) }
    const { status, body } = await world.call('POST', '/v2/auth/authenticate', request)
    expect({ status, loc: body.detail[0].loc }).toEqual({ status: 422, loc: ['body', 'scopes'] })
  })

  it('are so with those that were given already', async () => {
    await giveToken(world)
    const [{ id }] = (await world.call('GET', '/v2/auth/tokens')).body
    await world.store.oauth.tokens.update(id, { asked_scopes: scopesOf(4000) })
    const request = { provider: 'acme', scopes: scopesOf(2000).map((one) => `z${one}`) }
    const asked = { ...request, user_id: 'anna' }
    expect((await world.call('POST', '/v2/auth/authenticate', asked)).status).toBe(422)
  })
})

it('token events are told for ninety days', async () => {
  await giveToken(world)
  const list = async () => (await world.call('GET', '/v2/auth/token-events')).body
  world.clock.skip(89 * DAY_MS)
  await world.upkeep.work()
  expect(await list()).toContainEqual(expect.objectContaining({ event_type: 'token_created' }))
  world.clock.skip(2 * DAY_MS)
  await world.upkeep.work()
  expect(await list()).not.toContainEqual(expect.objectContaining({ event_type: 'token_created' }))
})

it('tokens are listed page by page', async () => {
  const mine = { workspace_id: DEFAULT_WORKSPACE_ID, user_id: ADMIN_KEY_ID }
  for (let i = 0; i < 3; i++) {
    const created_at = `2026-11-20T12:00:0${i}.000Z`
    await world.store.oauth.tokens.insert(anOAuthToken({ ...mine, created_at }))
  }
  const { body: all } = await world.call('GET', '/v2/auth/tokens')
  expect(all).toHaveLength(3)
  expect((await world.call('GET', '/v2/auth/tokens?limit=1&offset=1')).body).toEqual([all[1]])
  expect((await world.call('GET', '/v2/auth/tokens?limit=1001')).status).toBe(422)
})

describe('who needs no key', () => {
  it.each(['/v2/auth/start/x', '/v2/auth/callback/acme?state=x', '/api-host/v2/auth/setup/acme'])(
    'comes fifty times a second from an address: %s',
    async (path) => {
      const accept = 'text/html'
      const all = Array.from({ length: 300 }, () =>
        fetch(world.url + path, { headers: { accept } }),
      )
      const answers = await Promise.all(all)
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused.length).toBeGreaterThan(0)
      expect(answers.length - refused.length).toBeGreaterThanOrEqual(50)
      expect(refused[0]?.headers.get('retry-after')).toBe('1')
      expect(await refused[0]?.text()).toContain('Just a moment')
      // Not counted: callers with a key.
      const asked = await world.call('POST', '/v2/auth/callback/acme', { code: 'c', state: 's' })
      expect(asked.status).toBe(404)
      for (const answer of answers) if (!answer.bodyUsed) await answer.body?.cancel()
    },
  )
})

/** Signing in with a browser: links, keys, cookies, their ends, and who else would like to use them. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '../../../src/core/people/api-key.ts'
import { hashKey } from '../../../src/http/keys.ts'
import {
  type ControlPlaneWorld,
  type ControlPlaneWorldOptions,
  startControlPlane,
} from '../../support/control-plane/control-plane.ts'
import { Page } from '../../support/dashboard/page.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let world: ControlPlaneWorld
let page: Page
const start = async (options: ControlPlaneWorldOptions = {}) => {
  world = await startControlPlane({ isReconciling: false, ...options })
  page = new Page(world.url)
}
beforeEach(() => start())
afterEach(() => world.close())

const signIn = (body: unknown, from = page) => from.ask('/v2/session', { method: 'POST', body })
const withKey = (key = world.adminKey, from = page) => signIn({ api_key: key }, from)
const status = async (path = '/v2/session', from = page) => (await from.ask(path)).status
const makeLink = async (key = world.adminKey) =>
  (await world.call('POST', '/v2/session/link', undefined, key)).body
const actions = async () =>
  (await world.call('GET', '/v2/audit-log')).body.items.map(
    ({ action }: { action: string }) => action,
  )

describe('signing in', () => {
  it('with a link works once, and tells who it is', async () => {
    const { code, url, expires_at } = await makeLink()
    expect(url).toBe(`${world.url}/sign-in#code=${code}`)
    expect(Date.parse(expires_at) - world.clock.now()).toBeLessThanOrEqual(HOUR_MS / 2)
    const { status: opened, body, headers } = await signIn({ code })
    expect(opened).toBe(201)
    expect(body).toMatchObject({
      name: 'admin',
      role: 'admin',
      kind: 'api_key',
      workspace_id: DEFAULT_WORKSPACE_ID,
      workspaces: [{ id: DEFAULT_WORKSPACE_ID, name: 'Default' }],
      is_operator: true,
      is_current: true,
    })
    const { port } = new URL(world.url)
    const [cookie = ''] = headers['set-cookie'] ?? []
    expect(cookie).toMatch(
      new RegExp(
        `^runyard_session_${port}=[\\w-]{43}; Path=/; Expires=.*; HttpOnly; SameSite=Strict$`,
      ),
    )
    expect(headers['cache-control']).toBe('no-store')
    expect((await page.ask('/v2/session')).body).toEqual(body)
    expect((await page.ask('/v2/me')).body).toMatchObject({ role: 'admin' })
    const again = await signIn({ code }, new Page(world.url))
    expect([again.status, again.body.detail]).toEqual([
      401,
      expect.stringContaining('runyard open'),
    ])
    expect(await actions()).toEqual(
      expect.arrayContaining(['sign_in_link.create', 'session.create']),
    )
  })

  it('with a link is refused when it is forged, too old, or of a key that is revoked', async () => {
    expect((await signIn({ code: 'x'.repeat(43) })).status).toBe(401)
    const late = await makeLink()
    world.clock.skip(HOUR_MS / 2)
    expect((await signIn({ code: late.code })).status).toBe(401)
    const made = await world.call('POST', '/v2/api-keys', { name: 'gone', role: 'viewer' })
    const { code } = await makeLink(made.body.key)
    await world.call('DELETE', `/v2/api-keys/${made.body.id}`)
    const refused = await signIn({ code })
    expect([refused.status, refused.body.detail]).toEqual([401, expect.stringContaining('revoked')])
    expect(await status()).toBe(401)
  })

  it('with a key gives what the key gives, and nothing more', async () => {
    const viewer = await world.keyOf('viewer')
    expect((await withKey(viewer)).body).toMatchObject({ role: 'viewer', is_operator: false })
    expect(await status('/v2/deployments')).toBe(200)
    expect(await status('/v2/api-keys')).toBe(403)
    expect((await page.ask('/v2/workspaces', { method: 'POST', body: { name: 'x' } })).status).toBe(
      403,
    )
    const elsewhere = { 'x-tenant-id': randomUUID() }
    expect((await page.ask('/v2/deployments', { headers: elsewhere })).status).toBe(403)
    const own = { 'x-tenant-id': DEFAULT_WORKSPACE_ID }
    expect((await page.ask('/v2/deployments', { headers: own })).status).toBe(200)
    const link = await page.ask('/v2/session/link', { method: 'POST' })
    expect([link.status, link.body.detail]).toEqual([403, expect.stringContaining('API key')])
  })

  it('is refused to unknown keys, and to keys that only call agents', async () => {
    expect((await withKey('ry_unknown')).status).toBe(401)
    expect((await withKey(await world.keyOf('agent'))).status).toBe(403)
    expect((await signIn({})).status).toBe(422)
    expect((await signIn({ code: 'a', api_key: 'b' })).status).toBe(422)
    expect(page.cookies.size).toBe(0)
  })

  it('keeps the hashes of secrets, and none of them', async () => {
    const { code } = await makeLink()
    await signIn({ code })
    const [secret = ''] = page.cookies.values()
    expect(await world.store.sessions.findByHash(hashKey(secret))).toBeDefined()
    expect(await world.store.sessions.findByHash(secret)).toBeUndefined()
  })

  it('with a link of somebody else asks before it replaces a session, and says who it signs in', async () => {
    await withKey()
    const viewer = await world.keyOf('viewer')
    const { code } = await makeLink(viewer)
    const asked = await signIn({ code })
    expect(asked.status).toBe(409)
    expect(asked.body.detail).toBe(
      'This browser is signed in as admin (role admin, workspace Default). The link signs it in as a viewer ' +
        '(role viewer, workspace Default), and the present session ends.',
    )
    expect((await page.ask('/v2/session')).body).toMatchObject({ role: 'admin' })
    const [former = ''] = page.cookies.values()
    // The link is still good, for who means it.
    const replaced = await signIn({ code, replaces_session: true })
    expect([replaced.status, replaced.body.role]).toEqual([201, 'viewer'])
    expect(await world.store.sessions.findByHash(hashKey(former))).toBeUndefined()
    expect((await signIn({ code, replaces_session: true })).status).toBe(401)
  })

  it('with a link of one’s own asks nothing, nor where the session has ended', async () => {
    await withKey()
    expect((await signIn({ code: (await makeLink()).code })).status).toBe(201)
    const made = await world.call('POST', '/v2/api-keys', { name: 'gone', role: 'viewer' })
    const other = new Page(world.url)
    await withKey(made.body.key, other)
    await world.call('DELETE', `/v2/api-keys/${made.body.id}`)
    expect((await signIn({ code: (await makeLink()).code }, other)).status).toBe(201)
  })

  it('is not limited as long as nothing is refused', async () => {
    const tries = Array.from({ length: 40 }, () => withKey(world.adminKey, new Page(world.url)))
    const statuses = (await Promise.all(tries)).map((one) => one.status)
    expect(new Set(statuses)).toEqual(new Set([201]))
  })

  it('is limited for each address', async () => {
    const tries = Array.from({ length: 30 }, () => withKey('ry_unknown', new Page(world.url)))
    const statuses = (await Promise.all(tries)).map((one) => one.status)
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
  })

  it('is for this machine without TLS; links are, at least', async () => {
    await world.close()
    await start({ publicUrl: 'http://agents.example.com' })
    const headers = { host: 'agents.example.com', origin: 'http://agents.example.com' }
    const key = { 'x-api-key': world.adminKey }
    const link = await page.ask('/v2/session/link', {
      method: 'POST',
      headers: { ...headers, ...key },
    })
    expect([link.status, link.body.detail]).toEqual([400, expect.stringContaining('TLS')])
    const opened = await page.ask('/v2/session', {
      method: 'POST',
      headers,
      body: { api_key: world.adminKey },
    })
    expect(opened.status).toBe(201)
  })

  it('with TLS in front gives a cookie that no other host can set', async () => {
    await world.close()
    await start({ publicUrl: 'https://agents.example.com' })
    const at = { host: 'agents.example.com', origin: 'https://agents.example.com' }
    const key = { 'x-api-key': world.adminKey }
    const link = await page.ask('/v2/session/link', { method: 'POST', headers: { ...at, ...key } })
    expect(link.body.url).toMatch(/^https:\/\/agents\.example\.com\/sign-in#code=/)
    const opened = await page.ask('/v2/session', {
      method: 'POST',
      headers: at,
      body: { code: link.body.code },
    })
    const [cookie] = opened.headers['set-cookie'] ?? []
    expect(cookie).toMatch(
      /^__Host-runyard_session=.*; Path=\/; .*HttpOnly; Secure; SameSite=Strict$/,
    )
    expect((await page.ask('/v2/session', { headers: at })).status).toBe(200)
    const [[, secret] = []] = page.cookies
    const plain = { cookie: `runyard_session=${secret}`, ...at }
    expect((await page.ask('/v2/session', { headers: plain })).status).toBe(401)
  })
})

describe('a session', () => {
  it('ends when the person signs out, and not a moment later', async () => {
    await withKey()
    const thief = new Page(world.url)
    for (const [name, value] of page.cookies) thief.cookies.set(name, value)
    expect((await page.ask('/v2/session', { method: 'DELETE' })).status).toBe(204)
    expect(page.cookies.size).toBe(0)
    expect(await status('/v2/session', thief)).toBe(401)
    expect(await actions()).toContain('session.end')
  })

  it('ends with its key: revoked, expired, or changed', async () => {
    const made = await world.call('POST', '/v2/api-keys', { name: 'short', role: 'developer' })
    await withKey(made.body.key)
    expect(await status()).toBe(200)
    await world.call('DELETE', `/v2/api-keys/${made.body.id}`)
    const { body, status: refused } = await page.ask('/v2/deployments')
    expect([refused, body.detail]).toEqual([401, expect.stringContaining('revoked')])

    const expires_at = new Date(world.clock.now() + HOUR_MS).toISOString()
    const brief = await world.call('POST', '/v2/api-keys', {
      name: 'b',
      role: 'viewer',
      expires_at,
    })
    await withKey(brief.body.key)
    world.clock.skip(HOUR_MS)
    expect(await status()).toBe(401)

    await withKey()
    const admin = await world.store.apiKeys.findByHash(hashKey(world.adminKey))
    if (admin) await world.store.apiKeys.put({ ...admin, key_hash: hashKey('another-admin-key') })
    expect(await status()).toBe(401)
  })

  it('lasts as long as it is used, and no longer than a month', async () => {
    await withKey()
    const first = (await page.ask('/v2/session')).body
    // From its last use, which was a moment after its creation.
    const lastsMs = Date.parse(first.expires_at) - Date.parse(first.created_at)
    expect(lastsMs).toBeGreaterThanOrEqual(7 * DAY_MS)
    expect(lastsMs).toBeLessThan(7 * DAY_MS + HOUR_MS)
    for (let day = 0; day < 24; day += 6) {
      world.clock.skip(6 * DAY_MS)
      expect(await status()).toBe(200)
    }
    expect((await page.ask('/v2/session')).body).toMatchObject({ expires_at: first.ends_at })
    world.clock.skip(6 * DAY_MS)
    const { status: refused, body } = await page.ask('/v2/session')
    expect([refused, body.detail]).toEqual([401, 'Your session has ended. Sign in again.'])
    await withKey()
    world.clock.skip(7 * DAY_MS)
    expect(await status()).toBe(401)
  })

  it('gets another secret each hour; the one before it ends a minute after its successor is used', async () => {
    await withKey()
    const before = new Map(page.cookies)
    const former = new Page(world.url)
    for (const [name, value] of before) former.cookies.set(name, value)
    world.clock.skip(HOUR_MS)
    expect(await status()).toBe(200)
    expect(page.cookies).not.toEqual(before)
    // Another tab's request was on its way.
    expect(await status('/v2/deployments', former)).toBe(200)
    expect(await status()).toBe(200)
    expect(await status('/v2/deployments', former)).toBe(200)
    expect(former.cookies).toEqual(before)
    world.clock.skip(60_000)
    // A copy of the cookie: neither browser is trusted any more.
    expect(await status('/v2/deployments', former)).toBe(401)
    expect(await status()).toBe(401)
  })

  it('gets another one again where the answer was lost', async () => {
    await withKey()
    const before = new Map(page.cookies)
    world.clock.skip(HOUR_MS)
    expect(await status()).toBe(200)
    page.cookies.clear()
    for (const [name, value] of before) page.cookies.set(name, value)
    world.clock.skip(10 * 60_000)
    expect(await status()).toBe(200)
    expect(page.cookies).not.toEqual(before)
    expect(await status('/v2/deployments')).toBe(200)
  })

  it('is listed with the others of its user, who can end each of them', async () => {
    const viewer = await world.keyOf('viewer')
    const [laptop, phone] = [new Page(world.url), new Page(world.url)]
    await withKey(viewer, laptop)
    await withKey(viewer, phone)
    await withKey()
    const list = async (from: Page, query = '') =>
      (await from.ask(`/v2/sessions${query}`)).body.resources
    const own = await list(laptop)
    expect(own).toHaveLength(2)
    expect(own.filter((one: { is_current: boolean }) => one.is_current)).toHaveLength(1)
    expect(JSON.stringify(own)).not.toContain('hash')
    expect((await laptop.ask('/v2/sessions?all=true')).status).toBe(403)
    expect(await list(page, '?all=true')).toHaveLength(3)
    expect(await list(page)).toHaveLength(1)

    const end = (id: string, from: Page) => from.ask(`/v2/sessions/${id}`, { method: 'DELETE' })
    const [admins] = await list(page)
    expect((await end(admins.id, laptop)).status).toBe(404)
    const other = own.find((one: { is_current: boolean }) => !one.is_current)
    expect((await end(other.id, laptop)).status).toBe(204)
    expect(await status('/v2/session', phone)).toBe(401)
    const [left] = await list(laptop)
    expect((await end(left.id, page)).status).toBe(204)
    expect(await status('/v2/session', laptop)).toBe(401)
  })

  it('is nothing to a request with a key, which is known by the key alone', async () => {
    await withKey()
    const headers = { 'x-api-key': await world.keyOf('viewer') }
    expect((await page.ask('/v2/me', { headers })).body.role).toBe('viewer')
    expect((await page.ask('/v2/session', { headers })).status).toBe(404)
    expect((await page.ask('/v2/me', { headers: { 'x-api-key': 'ry_unknown' } })).status).toBe(401)
  })
})

describe('somebody else’s page', () => {
  const foreign = {
    'another site': { 'sec-fetch-site': 'cross-site' },
    'another port of this host': { 'sec-fetch-site': 'same-site' },
    'the address bar': { 'sec-fetch-site': 'none' },
    'another origin, in an old browser': {
      'sec-fetch-site': undefined,
      origin: 'https://evil.example',
    },
    'another port, in an old browser': {
      'sec-fetch-site': undefined,
      origin: 'http://127.0.0.1:1',
    },
    'a sandbox': { 'sec-fetch-site': 'cross-site', origin: 'null' },
    nobody: { 'sec-fetch-site': undefined, origin: undefined },
  }

  it.each(Object.entries(foreign))('cannot use it: %s', async (_, headers) => {
    await withKey()
    for (const [method, path] of [
      ['GET', '/v2/deployments'],
      ['GET', '/v2/session'],
      ['POST', '/v2/workspaces'],
      ['DELETE', '/v2/session'],
    ] as const) {
      const { status: refused, body } = await page.ask(path, { method, headers })
      expect([path, refused, body.detail]).toEqual([
        path,
        401,
        expect.stringContaining('own pages'),
      ])
    }
    expect(await status()).toBe(200)
  })

  it('at a name that is not ours cannot use it, or sign in', async () => {
    await withKey()
    const headers = { host: `rebound.example:${new URL(world.url).port}` }
    const { status: refused, body } = await page.ask('/v2/deployments', { headers })
    expect([refused, body.detail]).toEqual([401, expect.stringContaining('rebound.example')])
    const api_key = world.adminKey
    const opened = await page.ask('/v2/session', { method: 'POST', headers, body: { api_key } })
    expect([opened.status, opened.body.detail]).toEqual([
      400,
      expect.stringContaining('PUBLIC_URL'),
    ])
    expect(opened.headers['set-cookie']).toBeUndefined()
    const link = { ...headers, 'x-api-key': api_key }
    expect((await page.ask('/v2/session/link', { method: 'POST', headers: link })).status).toBe(400)
  })

  it('cannot sign anybody in, not even with a good key', async () => {
    const from = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    const body = { api_key: world.adminKey }
    const opened = await page.ask('/v2/session', { method: 'POST', headers: from, body })
    expect([opened.status, opened.body.detail]).toEqual([403, expect.stringContaining('/sign-in')])
    expect(opened.headers['set-cookie']).toBeUndefined()
  })

  it('is never told that cookies may be sent', async () => {
    await withKey()
    const { headers } = await page.ask('/v2/session')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  })

  it('of an old browser is our own when its origin, or its address, says so', async () => {
    await withKey()
    const old = { 'sec-fetch-site': undefined }
    const own = { ...old, origin: world.url }
    expect((await page.ask('/v2/session', { headers: own })).status).toBe(200)
    const address = { ...old, referer: `${world.url}/deployments` }
    expect((await page.ask('/v2/session', { headers: address })).status).toBe(200)
  })
})

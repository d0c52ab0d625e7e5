import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { anApiKey } from '../../test/support/control-plane/control-plane-records.ts'
import { forEachTest } from '../../test/support/running.ts'
import type { Authenticate } from '../core/deployment/target.ts'
import { silentLog } from '../core/log.ts'
import type { ApiKey, Principal } from '../core/people/api-key.ts'
import { newKey } from '../core/people/api-key.ts'
import { createSecretBox } from '../storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../storage/control-plane/store.ts'
import { onError } from './errors.ts'
import { createAuthenticate, hashKey, requirePrincipal, serverKeys } from './keys.ts'

const NOW = Date.parse('2026-11-20T12:00:00.000Z')
const WORKSPACE = '5f0c9a52-5a8e-4a86-b2f5-5ad3b9a3b001'
const OTHER_WORKSPACE = '5f0c9a52-5a8e-4a86-b2f5-5ad3b9a3b002'
const KEY_ID = '5f0c9a52-5a8e-4a86-b2f5-5ad3b9a3b003'
const KEY = newKey()

const store = forEachTest(() => openControlPlaneStore(':memory:', createSecretBox(randomBytes(32))))

describe('keys', () => {
  it('begin with ry_ and carry 32 random bytes', () => {
    expect(newKey()).toMatch(/^ry_[A-Za-z0-9_-]{43}$/)
    expect(newKey()).not.toBe(newKey())
  })

  it('are hashed with SHA-256, in hex', () => {
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})

describe('authenticate', () => {
  it('takes a key that was used a moment ago, until it is revoked', async () => {
    const authenticate = createAuthenticate({ apiKeys: store.apiKeys, clock: { now: () => NOW } })
    const headers = new Headers({ 'X-Api-Key': KEY })
    await store.apiKeys.put(anApiKey({ id: KEY_ID, key_hash: hashKey(KEY) }))
    await authenticate(headers)
    expect(await authenticate(headers)).toMatchObject({ user_id: KEY_ID })
    headers.set('X-Tenant-Id', OTHER_WORKSPACE)
    await expect(authenticate(headers)).rejects.toMatchObject({ code: 'forbidden' })
    await store.apiKeys.revoke(KEY_ID, '2026-11-20T12:00:00.000Z')
    await expect(authenticate(headers)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it.each([
    ['X-Api-Key', { 'X-Api-Key': KEY }],
    ['Bearer', { Authorization: `Bearer ${KEY}` }],
    ['bearer in lower case', { Authorization: `bearer ${KEY}` }],
    ['X-Api-Key with the workspace', { 'X-Api-Key': KEY, 'X-Tenant-Id': WORKSPACE }],
    ['the workspace in upper case', { 'X-Api-Key': KEY, 'X-Tenant-Id': WORKSPACE.toUpperCase() }],
    ['Bearer with the workspace', { Authorization: `Bearer ${KEY}`, 'X-Tenant-Id': WORKSPACE }],
    ['X-Api-Key beside a foreign token', { 'X-Api-Key': KEY, Authorization: 'Bearer other' }],
  ])('takes the key as %s', async (_form, headers) => {
    const principal = await authenticateWith({})(new Headers(headers))
    expect(principal).toEqual({
      user_id: KEY_ID,
      name: 'laptop',
      kind: 'api_key',
      workspace_id: WORKSPACE,
      role: 'developer',
    })
  })

  it.each<[string, Record<string, string>]>([
    ['no header', {}],
    ['X-Tenant-Id alone', { 'X-Tenant-Id': WORKSPACE }],
    ['an empty key', { 'X-Api-Key': '  ' }],
    ['another scheme', { Authorization: `Basic ${KEY}` }],
    ['a scheme without a key', { Authorization: 'Bearer ' }],
  ])('asks for a key, and says how to send it, when there is %s', async (_form, headers) => {
    await expect(authenticateWith({})(new Headers(headers))).rejects.toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining('X-Api-Key: KEY'),
    })
  })

  it.each([
    ['is unknown', {}, 'ry_wrong', 'unknown'],
    ['was revoked', { revoked_at: '2026-11-19T00:00:00.000Z' }, KEY, 'was revoked'],
    ['expires this very moment', { expires_at: new Date(NOW).toISOString() }, KEY, 'has expired'],
  ])('refuses a key that %s', async (_case, change, key, why) => {
    const refusal = authenticateWith(change)(new Headers({ 'X-Api-Key': key }))
    await expect(refusal).rejects.toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining(why),
    })
  })

  it('takes a key until it expires', async () => {
    const authenticate = authenticateWith({ expires_at: new Date(NOW + 1).toISOString() })
    await expect(authenticate(new Headers({ 'X-Api-Key': KEY }))).resolves.toBeDefined()
  })

  it('refuses a workspace that is not the key’s, and says what to send', async () => {
    const headers = new Headers({ 'X-Api-Key': KEY, 'X-Tenant-Id': OTHER_WORKSPACE })
    await expect(authenticateWith({})(headers)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining(`belongs to workspace ${WORKSPACE}`),
    })
  })

  it('does not tell about the workspace before the key is known', async () => {
    const headers = new Headers({ 'X-Api-Key': 'ry_wrong', 'X-Tenant-Id': OTHER_WORKSPACE })
    await expect(authenticateWith({})(headers)).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})

describe('requirePrincipal', () => {
  const app = new Hono<{ Variables: { principal: Principal } }>()
  app.onError(onError(silentLog))
  app.use(requirePrincipal((headers) => authenticateWith({})(headers)))
  app.get('/me', (c) => c.json(c.get('principal')))

  it('hands the principal to the route', async () => {
    const response = await app.request('/me', { headers: { 'X-Api-Key': KEY } })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ user_id: KEY_ID })
  })

  it('answers 401 without a key and 403 for a foreign workspace', async () => {
    const unauthenticated = await app.request('/me')
    expect(unauthenticated.status).toBe(401)
    expect(await unauthenticated.json()).toEqual({ detail: expect.stringContaining('API key') })
    const headers = { 'X-Api-Key': KEY, 'X-Tenant-Id': OTHER_WORKSPACE }
    expect((await app.request('/me', { headers })).status).toBe(403)
  })
})

describe('serverKeys', () => {
  const check = serverKeys(['first', 'second'])

  it.each<[string, Record<string, string>]>([
    ['the first key', { 'X-Api-Key': 'first' }],
    ['the second key', { 'X-Api-Key': 'second' }],
    ['a key as Bearer', { Authorization: 'Bearer second' }],
  ])('lets %s pass', (_case, headers) => {
    expect(() => check(new Headers(headers))).not.toThrow()
  })

  it.each<[string, Record<string, string>]>([
    ['no key', {}],
    ['a wrong key', { 'X-Api-Key': 'third' }],
    ['a part of a key', { 'X-Api-Key': 'firs' }],
    ['all keys at once', { 'X-Api-Key': 'first,second' }],
  ])('refuses %s', (_case, headers) => {
    const refusal = expect.objectContaining({ code: 'unauthenticated' })
    expect(() => check(new Headers(headers))).toThrow(refusal)
  })

  it('lets everyone pass when there are no keys', () => {
    expect(() => serverKeys([])(new Headers())).not.toThrow()
  })
})

/** Authenticates against a store that has only `KEY`, with the given changes. */
function authenticateWith(change: Partial<ApiKey>): Authenticate {
  const authenticate = createAuthenticate({ apiKeys: store.apiKeys, clock: { now: () => NOW } })
  const known = anApiKey({ id: KEY_ID, workspace_id: WORKSPACE, key_hash: hashKey(KEY), ...change })
  return async (headers) => {
    await store.apiKeys.put(known)
    return authenticate(headers)
  }
}

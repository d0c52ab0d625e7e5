import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ApiKeySchema, NewApiKeySchema } from '../../../src/control-plane/people/api-key-schemas.ts'
import { ADMIN_KEY_ID, DEFAULT_WORKSPACE_ID } from '../../../src/core/people/api-key.ts'
import { startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const world = forEachTest(() => startControlPlane({ isReconciling: false }))

const create = (change: Record<string, unknown> = {}, key?: string) =>
  world.call('POST', '/v2/api-keys', { name: 'laptop', role: 'developer', ...change }, key)

describe('a key', () => {
  it('is shown once, works, and is known by what it begins with', async () => {
    const { status, body } = await create()
    expect(status).toBe(201)
    expect(NewApiKeySchema.strict().parse(body)).toEqual(body)
    const { key, ...rest } = body
    expect(rest).toMatchObject({ hint: key.slice(0, 7), workspace_id: DEFAULT_WORKSPACE_ID })
    const me = await world.call('GET', '/v2/me', undefined, key)
    expect(me.body).toEqual({
      user_id: rest.id,
      name: 'laptop',
      kind: 'api_key',
      workspace_id: DEFAULT_WORKSPACE_ID,
      role: 'developer',
      is_operator: false,
    })
    const one = await world.call('GET', `/v2/api-keys/${rest.id}`)
    expect(ApiKeySchema.strict().parse(one.body)).toMatchObject({
      ...rest,
      last_used_at: expect.any(String),
    })
    expect(JSON.stringify(one.body)).not.toContain(key)
    const list = await world.call('GET', '/v2/api-keys')
    expect(list.body.resources[0]).toEqual(one.body)
    expect(list.body.offset).toBe(2)
  })

  it('tells when it was used last, to the minute', async () => {
    const { body } = await create()
    const use = () => world.call('GET', '/v2/me', undefined, body.key)
    const lastUse = async () =>
      (await world.call('GET', `/v2/api-keys/${body.id}`)).body.last_used_at
    expect(body.last_used_at).toBeNull()
    await use()
    const first = await lastUse()
    world.clock.skip(30_000)
    await use()
    expect(await lastUse()).toBe(first)
    world.clock.skip(31_000)
    await use()
    expect(Date.parse(await lastUse()) - Date.parse(first)).toBeGreaterThanOrEqual(61_000)
  })

  it('is refused once it has expired', async () => {
    const expires_at = new Date(world.clock.now() + 60_000).toISOString()
    const { body } = await create({ expires_at })
    expect(body.expires_at).toBe(expires_at)
    expect((await world.call('GET', '/v2/me', undefined, body.key)).status).toBe(200)
    world.clock.skip(61_000)
    const refused = await world.call('GET', '/v2/me', undefined, body.key)
    expect(refused).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('has expired') },
    })
  })

  it('is refused once it is revoked, and stays in the list; again is no error', async () => {
    const { body } = await create()
    const path = `/v2/api-keys/${body.id}`
    expect((await world.call('DELETE', path)).status).toBe(204)
    const refused = await world.call('GET', '/v2/me', undefined, body.key)
    expect(refused).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('was revoked') },
    })
    const revoked = (await world.call('GET', path)).body
    expect(revoked.revoked_at).not.toBeNull()
    expect((await world.call('DELETE', path)).status).toBe(204)
    expect((await world.call('GET', path)).body).toEqual(revoked)
  })

  it.each([
    ['without a name', { name: '' }],
    ['with an unknown role', { role: 'king' }],
    ['that ends in the past', { expires_at: '2020-01-01T00:00:00Z' }],
    ['that ends at no moment', { expires_at: 'tomorrow' }],
  ])('is not made %s', async (_, change) => {
    const { status, body } = await create(change)
    expect(status).toBe(422)
    expect(body.detail[0].loc).toEqual(['body', Object.keys(change)[0]])
  })

  it('is unknown by another id', async () => {
    for (const method of ['GET', 'DELETE']) {
      expect((await world.call(method, `/v2/api-keys/${randomUUID()}`)).status).toBe(404)
    }
  })
})

describe('the installation’s admin key', () => {
  it('cannot be revoked, and says how it is changed', async () => {
    const { status, body } = await world.call('DELETE', `/v2/api-keys/${ADMIN_KEY_ID}`)
    expect(status).toBe(409)
    expect(body.detail).toContain('RUNYARD_ADMIN_KEY')
    expect((await world.call('GET', '/v2/me')).status).toBe(200)
  })
})

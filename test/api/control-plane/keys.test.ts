import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '../../../src/core/people/api-key.ts'
import { startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const world = forEachTest(() => startControlPlane({ isReconciling: false }))

const list = async (headers: Record<string, string>) =>
  (await fetch(`${world.url}/v2/deployments`, { headers })).status

/** The operations of the document: `[method, path with ids in it, whether it needs a key]`. */
async function operations(): Promise<[string, string, boolean][]> {
  const { body } = await world.call('GET', '/openapi.json', undefined, null)
  return Object.entries(body.paths as Record<string, Record<string, { security: unknown[] }>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, string, boolean] => [
        method.toUpperCase(),
        path.replace(/\{\w+\}/g, () => randomUUID()),
        operation.security.length > 0,
      ]),
    )
    .sort()
}

describe('a key', () => {
  it('is taken as X-Api-Key, as a bearer token, and with its workspace', async () => {
    const key = world.adminKey
    expect(await list({ 'X-Api-Key': key })).toBe(200)
    expect(await list({ Authorization: `Bearer ${key}` })).toBe(200)
    expect(await list({ 'X-Api-Key': key, 'X-Tenant-Id': DEFAULT_WORKSPACE_ID })).toBe(200)
  })

  it('is refused when it is missing, unknown, or sent with another workspace', async () => {
    expect(await list({})).toBe(401)
    expect(await list({ 'X-Api-Key': 'nonsense' })).toBe(401)
    expect(await list({ 'X-Tenant-Id': DEFAULT_WORKSPACE_ID })).toBe(401)
    expect(await list({ 'X-Api-Key': world.adminKey, 'X-Tenant-Id': randomUUID() })).toBe(403)
  })

  it('is needed for every operation but those that are signed, or that browsers and proxies come to', async () => {
    const all = await operations()
    expect(all.length).toBeGreaterThanOrEqual(11)
    const isOpen: string[] = []
    for (const [method, path, isKeyNeeded] of all) {
      for (const base of ['', '/api-host']) {
        const { status } = await world.call(method, base + path, undefined, null)
        if (isKeyNeeded) expect({ method, path, status }).toEqual({ method, path, status: 401 })
        else expect([200, 403, 404, 422]).toContain(status)
      }
      if (!isKeyNeeded) isOpen.push(`${method} ${path.split('/')[2]}`)
    }
    const pages = ['GET auth', 'GET auth', 'GET auth', 'POST auth']
    const proxies = ['GET domains']
    const sessions = ['GET session', 'GET session', 'GET session']
    const others = [...pages.slice(0, 3), ...proxies, ...sessions, ...pages.slice(3)]
    expect(isOpen.toSorted()).toEqual([
      'GET artifacts',
      ...others,
      'POST pushes',
      'POST session',
      'PUT builds',
      'PUT uploads',
    ])
  })

  it('is needed for what does not exist, so that nobody can look around', async () => {
    expect((await world.call('GET', '/v2/nonsense', undefined, null)).status).toBe(401)
    expect((await world.call('GET', '/v1/nonsense', undefined, null)).status).toBe(401)
    expect((await world.call('GET', '/v2/nonsense')).status).toBe(404)
    expect((await world.call('PUT', '/v2/deployments', undefined, null)).status).toBe(401)
  })

  it('is told which methods a path takes', async () => {
    for (const base of ['', '/api-host']) {
      const { status, headers } = await world.call('PUT', `${base}/v2/deployments`)
      expect([status, headers.get('allow')]).toEqual([405, 'DELETE, GET, HEAD, POST'])
    }
  })

  it('is not needed for /ok, the document and preflights', async () => {
    expect((await world.call('GET', '/ok', undefined, null)).body).toEqual({ ok: true })
    expect((await world.call('GET', '/openapi.json', undefined, null)).status).toBe(200)
    const preflight = await fetch(`${world.url}/v2/deployments`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://example.org', 'Access-Control-Request-Method': 'POST' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  })
})

it('refusals can be read by pages of every origin', async () => {
  for (const [path, key] of [
    ['/v2/deployments', null],
    ['/v2/nonsense', undefined],
    ['/threads', null],
  ] as const) {
    const { headers } = await world.call('GET', path, undefined, key)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toContain('X-Request-Id')
  }
})

describe('the document', () => {
  it('defines the ways to send a key, the session, and the names of the original', async () => {
    const { body } = await world.call('GET', '/openapi.json', undefined, null)
    expect(body.info).toEqual({
      title: 'LangSmith Deployment Control Plane API',
      version: '0.1.0',
    })
    expect(Object.keys(body.components.securitySchemes).sort()).toEqual([
      'API Key',
      'Bearer Auth',
      'Session',
      'Tenant ID',
    ])
    expect(Object.keys(body.paths).filter((path) => path.startsWith('/api-host'))).toEqual([])
    expect(body.paths['/v2/auth/tokens'].delete.operationId).toBe(
      'delete_oauth_tokens_for_user_v2_auth_tokens_delete',
    )
    expect(body.paths['/v2/deployments'].post).toMatchObject({
      operationId: 'create_deployment_v2_deployments_post',
      tags: ['Deployments (v2)'],
    })
    for (const name of ['Deployment', 'DeploymentsList', 'Revision', 'HTTPValidationError']) {
      expect(body.components.schemas).toHaveProperty(name)
    }
  })
})

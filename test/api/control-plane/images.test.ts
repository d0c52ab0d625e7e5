/** Deployments whose source is an image. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OwnRegistry } from '../../../src/core/deployment/images/registry.ts'
import {
  type ControlPlaneWorld,
  startControlPlane,
} from '../../support/control-plane/control-plane.ts'
import { eventually } from '../../support/eventually.ts'

const DIGEST = `sha256:${'c0ffee00'.repeat(8)}`
const REGISTRY: OwnRegistry = {
  url: 'https://registry.example.com/team',
  prefix: 'registry.example.com/team',
  login: { username: 'runyard', password: 'pulls-only' },
  pushLogin: { username: 'oauth2accesstoken', password: 'pushes-only' },
}
const auths = { 'other.example.com': { username: 'me', password: 'mine' } }
const PULL_SECRET = { name: 'RUNYARD_PULL_SECRET', value: JSON.stringify({ auths }) }

let world: ControlPlaneWorld
beforeEach(async () => {
  const artifacts = ['folder', 'image'] as const
  world = await startControlPlane({ artifacts, runtime: 'docker', registry: REGISTRY })
  world.builder.gives = () => ({ kind: 'image', image_uri: `other.example.com/agent@${DIGEST}` })
})
afterEach(() => world.close())

const create = (change: Record<string, unknown>) =>
  world.call('POST', '/v2/deployments', {
    name: 'support',
    source: 'external_docker',
    source_config: {},
    source_revision_config: {},
    secrets: [],
    ...change,
  })
const external = (image_uri: string, change: Record<string, unknown> = {}) =>
  create({ source_revision_config: { image_uri }, ...change })
const internal = (change: Record<string, unknown> = {}) =>
  create({ source: 'internal_docker', ...change })

async function deployed(id: string, revision: string) {
  const path = `/v2/deployments/${id}/revisions/${revision}`
  const read = async () => (await world.call('GET', path)).body
  await eventually(async () => (await read()).status).toBe('DEPLOYED')
  return read()
}

describe('an image of a registry elsewhere', () => {
  it('is deployed, and keeps the digest that its tag stood for', async () => {
    const { status, body } = await external('other.example.com/agent:v1')
    expect(status).toBe(201)
    const revision = await deployed(body.id, body.latest_revision_id)
    expect(revision.source_revision_config).toMatchObject({
      image_uri: 'other.example.com/agent:v1',
      image_digest: DIGEST,
    })
    expect(world.driver.starts[0]).toMatchObject({
      artifact: { kind: 'image', image_uri: `other.example.com/agent@${DIGEST}` },
    })
    expect(world.driver.starts[0]).not.toHaveProperty('pullLogin')
  })

  it('is asked for anew by the next revision, and not by a redeploy', async () => {
    const { body } = await external('other.example.com/agent:v1')
    await deployed(body.id, body.latest_revision_id)
    world.builder.built.clear()
    const path = `/v2/deployments/${body.id}`
    const again = `${path}/revisions/${body.latest_revision_id}/redeploy`
    const redeployed = (await world.call('POST', again)).body.latest_revision_id
    await deployed(body.id, redeployed)
    const next = (await world.call('PATCH', path, { secrets: [{ name: 'A', value: 'b' }] })).body
    await deployed(body.id, next.latest_revision_id)
    const digests = world.builder.requests.map((one) => one.source_revision_config.image_digest)
    expect(digests).toEqual([null, DIGEST, null])
  })

  it('is pulled with the pull secret, which the image does not see', async () => {
    const secrets = [PULL_SECRET, { name: 'A', value: 'b' }]
    const { body } = await external('other.example.com/agent:v1', { secrets })
    await deployed(body.id, body.latest_revision_id)
    expect(world.driver.starts[0]).toMatchObject({
      pullLogin: { username: 'me', password: 'mine' },
      secrets: [{ name: 'A', value: 'b' }],
    })
  })

  it.each([
    ['no image', '', 'image_uri is required'],
    [
      'a URL',
      'https://other.example.com/agent',
      'not "https://other.example.com/agent": leave out https://.',
    ],
    [
      'a broken digest',
      'other.example.com/agent@sha256:c0ffee',
      'source_revision_config.image_uri must be an image such as',
    ],
  ])('is refused: %s', async (_, image_uri, message) => {
    const { status, body } = await external(image_uri)
    expect(status).toBe(400)
    expect(body.detail).toContain(message)
  })

  it('is refused with a pull secret that nobody can read', async () => {
    const secrets = [{ ...PULL_SECRET, value: 'secret' }]
    const { status, body } = await external('other.example.com/agent', { secrets })
    expect(status).toBe(400)
    expect(body.detail).toContain('RUNYARD_PULL_SECRET must be what docker login writes')
  })

  it('takes no push token', async () => {
    const { id } = (await external('other.example.com/agent')).body
    const { status, body } = await world.call('POST', `/v2/deployments/${id}/push-token`)
    expect(status).toBe(400)
    expect(body.detail).toContain("only available for 'internal_docker' source deployments")
  })
})

describe('an image that is pushed', () => {
  const pushToken = (id: string, body?: unknown, key = world.adminKey) =>
    world.call('POST', `/v2/deployments/${id}/push-token`, body, key)
  const patch = (id: string, image_uri: string) =>
    world.call('PATCH', `/v2/deployments/${id}`, {
      revision_source: 'internal_docker',
      source_revision_config: { image_uri },
    })

  it('is pushed with a token to its own place, and deployed from there', async () => {
    const { body } = await internal()
    expect(body.latest_revision_id).toBeNull()
    const place = `registry.example.com/team/${body.id}`
    expect(await pushToken(body.id)).toMatchObject({
      status: 200,
      body: {
        token: 'pushes-only',
        username: 'oauth2accesstoken',
        registry_url: place,
        repository_url: `${place}/support`,
      },
    })
    const image_uri = `${place}/support@${DIGEST}`
    world.builder.gives = () => ({ kind: 'image', image_uri })
    const patched = await patch(body.id, image_uri)
    expect(patched.status).toBe(200)
    await deployed(body.id, patched.body.latest_revision_id)
    expect(world.driver.starts[0]).toMatchObject({ pullLogin: REGISTRY.login })
  })

  it('is pulled with the operator’s login where a build has pushed it', async () => {
    const { id } = (await internal()).body
    const place = `registry.example.com/team/${id}`
    const image_uri = `${place}/built@${DIGEST}`
    const made = { node_version: null, config_path: 'langgraph.json', bundle: null, python: null }
    world.builder.gives = () => ({ kind: 'folder', id: 'r1', ...made, image_uri })
    const { body } = await patch(id, `${place}/support@${DIGEST}`)
    await deployed(id, body.latest_revision_id)
    expect(world.driver.starts[0]).toMatchObject({
      ...{ artifact: { kind: 'folder', image_uri }, pullLogin: REGISTRY.login },
    })
  })

  it('writes down who was handed a token', async () => {
    const { id } = (await internal()).body
    await pushToken(id)
    const { body } = await world.call('GET', '/v2/audit-log?limit=1')
    expect(body.items).toMatchObject([{ action: 'push_token.create', target_id: id }])
    expect(JSON.stringify(body)).not.toContain('pushes-only')
  })

  it('is refused unless it was pushed for this deployment', async () => {
    const { id } = (await internal()).body
    const { id: other } = (await internal({ name: 'other' })).body
    for (const image of [
      `registry.example.com/team/${other}/support@${DIGEST}`,
      `registry.example.com/team/${id}@${DIGEST}`,
      `registry.example.com/team/${id}x/support@${DIGEST}`,
      `other.example.com/agent@${DIGEST}`,
    ]) {
      const { status, body } = await patch(id, image)
      expect(status).toBe(400)
      expect(body.detail).toContain('pushed to what push-token of this deployment answers')
    }
  })

  it('cannot be named when the deployment is created', async () => {
    const image_uri = `registry.example.com/team/x/y@${DIGEST}`
    const { status, body } = await internal({ source_revision_config: { image_uri } })
    expect(status).toBe(400)
    expect(body.detail).toContain('push to the repository that its push-token answers, then PATCH')
  })

  it('is not for those who only read, nor for another workspace', async () => {
    const { id } = (await internal()).body
    expect((await pushToken(id, undefined, await world.keyOf('viewer'))).status).toBe(403)
    const { body } = await world.call('POST', '/v2/workspaces', { name: 'other' })
    const stranger = await world.keyOf('developer', body.id)
    expect((await pushToken(id, undefined, stranger)).status).toBe(404)
  })
})

describe('a registry', () => {
  async function tokenFrom(registry: OwnRegistry | undefined, body?: unknown) {
    await world.close()
    const artifacts = ['folder', 'image'] as const
    world = await startControlPlane({ artifacts, ...(registry && { registry }) })
    const { id } = (await internal()).body
    return world.call('POST', `/v2/deployments/${id}/push-token`, body)
  }

  it('has to be named by the operator, with a password that is handed out', async () => {
    const { pushLogin: _, ...closed } = REGISTRY
    for (const registry of [undefined, closed]) {
      const { status, body } = await tokenFrom(registry)
      expect(status).toBe(400)
      expect(body.detail).toContain('RUNYARD_REGISTRY_URL and RUNYARD_REGISTRY_PUSH_PASSWORD')
    }
  })

  it('with a name of its own is for clients that take one', async () => {
    const pushLogin = { username: 'robot', password: 'x' }
    const registry = { ...REGISTRY, pushLogin }
    const refused = await tokenFrom(registry)
    expect(refused.status).toBe(400)
    expect(refused.body.detail).toContain('pushed to as robot')
    const answer = await tokenFrom(registry, { supports_registry_username: true })
    expect(answer).toMatchObject({ status: 200, body: { username: 'robot', token: 'x' } })
  })
})

it('has room for an agent server, or is refused when it is sent', async () => {
  const sized = (resource_spec: object) => ({ source_config: { resource_spec } })
  const image = 'other.example.com/agent:v1'
  for (const spec of [{ memory_limit_mb: 0 }, { memory_mb: 63 }]) {
    const { status, body } = await external(image, sized(spec))
    expect(status).toBe(400)
    expect(body.detail).toMatch(/resource_spec\.memory_\w+ is \d+, .* 64 MB at the least/)
  }
  const { status, body } = await external(image, sized({ memory_limit_mb: 64, cpu: 8 }))
  expect(status).toBe(201)
  const path = `/v2/deployments/${body.id}`
  expect((await world.call('PATCH', path, sized({ memory_limit_mb: 1 }))).status).toBe(400)
  expect((await world.call('PATCH', path, sized({ memory_limit_mb: 128 }))).status).toBe(200)
})

/** Hosts of a deployment's own: added, told of, certified, removed; and everything that is refused. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { proofOf } from '../../../src/control-plane/domains/proof.ts'
import { DEFAULT_WORKSPACE_ID } from '../../../src/core/people/api-key.ts'
import {
  aCreateRequest,
  type ControlPlaneWorld,
  type ControlPlaneWorldOptions,
  startControlPlane,
} from '../../support/control-plane/control-plane.ts'
import {
  DOMAIN_CERTIFICATE,
  EXPIRED_DOMAIN_CERTIFICATE,
  RENEWED_DOMAIN_CERTIFICATE,
} from '../../support/gateway/certificate.ts'
import { type DnsServer, startDnsServer } from '../../support/gateway/dns-server.ts'

const HOST = 'agents.example.com'
const PUBLIC_URL = 'https://runyard.example.com:8443'

let world: ControlPlaneWorld
let id: string
let path: string
let dns: DnsServer

async function open(options: ControlPlaneWorldOptions = {}): Promise<void> {
  const dnsServers = [dns.address]
  world = await startControlPlane({
    publicUrl: PUBLIC_URL,
    domain: 'run.test',
    dnsServers,
    ...options,
  })
  id = await deploymentNamed('support')
  path = `/v2/deployments/${id}/domains`
}

/** Sets the record by which this workspace proves that the host is its own. */
function prove(workspace_id: string, host: string): void {
  const { name, value } = proofOf(world.store, { workspace_id }, host)
  dns.records.set(name, { TXT: ['v=spf1 -all', value] })
}

async function deploymentNamed(name: string): Promise<string> {
  return (await world.call('POST', '/v2/deployments', aCreateRequest({ name }))).body.id
}

const add = (body: object, key?: string) => world.call('POST', path, body, key)
const list = async () => (await world.call('GET', path)).body.resources
const entries = async () => (await world.call('GET', '/v2/audit-log?action=domain')).body.items

beforeEach(async () => {
  dns = await startDnsServer()
})
afterEach(async () => {
  await world.close()
  dns.close()
})

describe('a domain', () => {
  beforeEach(() => open())

  it('is answered at as soon as it is added, and stands among the addresses', async () => {
    const added = await add({ host: 'Agents.Example.com.' })
    expect(added).toMatchObject({
      status: 201,
      body: { host: HOST, url: `https://${HOST}:8443`, certificate: null, dns: 'unresolved' },
    })
    expect(world.hosts).toEqual(new Map([[HOST, 'support']]))
    const { body } = await world.call('GET', `/v2/deployments/${id}`)
    expect(body.addresses).toEqual([
      `${PUBLIC_URL}/agents/support`,
      'https://support.run.test:8443',
      `https://${HOST}:8443`,
    ])
    expect((await world.call('GET', path)).body).toEqual({
      resources: [added.body],
      points_to: 'runyard.example.com',
    })
  })

  it('is removed by any way to write it, and answered at no more', async () => {
    await add({ host: 'bücher.example' })
    const at = `${path}/${encodeURIComponent('BÜCHER.example.')}`
    expect((await world.call('DELETE', at)).status).toBe(204)
    expect(await list()).toEqual([])
    expect(world.hosts.size).toBe(0)
    expect((await world.call('DELETE', at)).status).toBe(404)
  })

  it('goes with its deployment, and its host is free again', async () => {
    await add({ host: HOST })
    await world.call('DELETE', `/v2/deployments/${id}`)
    await world.reconciler.whenTended(id)
    expect((await world.call('GET', path)).status).toBe(404)
    id = await deploymentNamed('other')
    path = `/v2/deployments/${id}/domains`
    expect((await add({ host: HOST })).status).toBe(201)
    expect(world.hosts).toEqual(new Map([[HOST, 'other']]))
  })

  it('is one deployment’s, and a clash says no more than that', async () => {
    await add({ host: HOST })
    const workspace = (await world.call('POST', '/v2/workspaces', { name: 'Red' })).body.id
    const key = await world.keyOf('admin', workspace)
    const theirs = await world.call('POST', '/v2/deployments', aCreateRequest({ name: 'red' }), key)
    const clash = () =>
      world.call('POST', `/v2/deployments/${theirs.body.id}/domains`, { host: HOST }, key)
    // Without a proof nobody learns even that.
    expect(await clash()).toMatchObject({
      status: 403,
      body: { detail: expect.not.stringContaining('taken') },
    })
    prove(workspace, HOST)
    expect(await clash()).toMatchObject({
      status: 409,
      body: { detail: `The domain ${HOST} is taken.` },
    })
    expect((await add({ host: HOST })).status).toBe(409)
  })

  it.each([
    ['', 'no host name'],
    ['runyard.example.com', 'Runyard itself'],
    ['other.run.test', 'RUNYARD_DOMAIN'],
    ['co.uk', 'public suffix'],
    ['github.io', 'public suffix'],
  ])('is not %s', async (host, why) => {
    const { status, body } = await add({ host })
    expect({ status, body }).toMatchObject({ status: 400 })
    expect(body.detail).toMatch(new RegExp(`^host: .*${why}`))
    expect(await list()).toEqual([])
  })

  it('is one of twenty at most', async () => {
    for (let i = 0; i < 20; i += 1) {
      expect((await add({ host: `a${i}.example.com` })).status).toBe(201)
    }
    expect(await add({ host: HOST })).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^host: A deployment has 20 at most/) },
    })
    expect((await list()).map(({ host }: { host: string }) => host)).toHaveLength(20)
  })

  it('is not added to what is being deleted', async () => {
    await world.reconciler.stop()
    await world.call('DELETE', `/v2/deployments/${id}`)
    expect((await add({ host: HOST })).status).toBe(409)
  })

  it('is seen by a viewer, and changed by who may change deployments', async () => {
    await add({ host: HOST })
    const viewer = await world.keyOf('viewer')
    expect((await world.call('GET', path, undefined, viewer)).body.resources).toHaveLength(1)
    for (const [method, at, body] of [
      ['POST', path, { host: 'b.example.com' }],
      ['DELETE', `${path}/${HOST}`, undefined],
      ['PUT', `${path}/${HOST}/certificate`, DOMAIN_CERTIFICATE],
      ['DELETE', `${path}/${HOST}/certificate`, undefined],
    ] as const) {
      expect((await world.call(method, at, body, viewer)).status).toBe(403)
    }
    expect((await add({ host: 'b.example.com' }, await world.keyOf('developer'))).status).toBe(201)
  })

  it('leaves an entry in the audit log each time', async () => {
    await add({ host: HOST })
    await world.call('PUT', `${path}/${HOST}/certificate`, DOMAIN_CERTIFICATE)
    await world.call('DELETE', `${path}/${HOST}/certificate`)
    await world.call('DELETE', `${path}/${HOST}`)
    const told = (await entries()).map((one: { action: string; detail: object }) => [
      one.action,
      one.detail,
    ])
    const of = { deployment_id: id, deployment: 'support' }
    expect(told.toReversed()).toEqual([
      ['domain.create', { ...of, has_certificate: false }],
      ['domain.update', { ...of, fingerprint: expect.any(String), expires_at: expect.any(String) }],
      ['domain.update', { ...of, fingerprint: null }],
      ['domain.delete', of],
    ])
  })
})

it('tells a proxy in front, without a key, which hosts are domains', async () => {
  await open()
  await add({ host: HOST })
  const ask = (domain: string) =>
    world.call('GET', `/internal/domains/ask?domain=${domain}`, undefined, null)
  expect(await ask(HOST)).toMatchObject({ status: 200, body: { ok: true } })
  expect((await ask('Agents.example.com.')).status).toBe(200)
  for (const other of ['example.com', 'runyard.example.com', '%20', '127.0.0.1']) {
    expect((await ask(other)).status).toBe(404)
  }
  expect((await world.call('GET', '/internal/domains/ask', undefined, null)).status).toBe(422)
})

describe('a certificate', () => {
  beforeEach(() => open())

  const at = `${HOST}/certificate`

  it('comes with the domain, is renewed and taken away, and its key is never told', async () => {
    const added = await add({ host: HOST, ...DOMAIN_CERTIFICATE })
    expect(added.body.certificate).toEqual({
      issuer: 'CN=Authority of tests',
      names: [HOST, '*.team.example.com'],
      not_before: '2020-01-01T00:00:00.000Z',
      expires_at: '2120-01-01T00:00:00.000Z',
      fingerprint: expect.any(String),
    })
    const renewed = await world.call('PUT', `${path}/${at}`, RENEWED_DOMAIN_CERTIFICATE)
    expect(renewed).toMatchObject({ status: 200, body: { certificate: { names: [HOST] } } })
    expect(await world.store.domains.certificateOf(HOST)).toEqual(RENEWED_DOMAIN_CERTIFICATE)
    const told = JSON.stringify([added.body, renewed.body, await list(), await entries()])
    expect(told).not.toContain('PRIVATE KEY')
    expect((await world.call('DELETE', `${path}/${at}`)).status).toBe(204)
    expect(await list()).toMatchObject([{ host: HOST, certificate: null }])
    expect((await world.call('DELETE', `${path}/${at}`)).status).toBe(404)
  })

  const { certificate, private_key } = DOMAIN_CERTIFICATE

  it.each([
    ['certificate', 'has expired', EXPIRED_DOMAIN_CERTIFICATE],
    [
      'private_key',
      'not the key',
      { certificate, private_key: RENEWED_DOMAIN_CERTIFICATE.private_key },
    ],
  ])('is refused by its %s: %s', async (field, why, given) => {
    await add({ host: HOST })
    const refusal = { status: 400, body: { detail: expect.stringMatching(`^${field}: .*${why}`) } }
    expect(await world.call('PUT', `${path}/${at}`, given)).toMatchObject(refusal)
    await world.call('DELETE', `${path}/${HOST}`)
    expect(await add({ host: HOST, ...given })).toMatchObject(refusal)
    expect(await list()).toEqual([])
  })

  it('is refused for another host, without its key, alone, and where there is no domain', async () => {
    expect(await add({ host: 'b.example.com', ...DOMAIN_CERTIFICATE })).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^certificate: it is not for b.example.com/) },
    })
    const [one, other] = [{ certificate }, { private_key }]
    expect((await add({ host: HOST, ...one })).body.detail).toMatch(/^private_key: /)
    expect((await add({ host: HOST, ...other })).body.detail).toMatch(/^certificate: /)
    expect((await world.call('PUT', `${path}/${at}`, one)).status).toBe(422)
    expect((await world.call('PUT', `${path}/${at}`, DOMAIN_CERTIFICATE)).status).toBe(404)
  })

  it('is sealed, and sealed again with another encryption key', async () => {
    await add({ host: HOST, ...DOMAIN_CERTIFICATE })
    expect((await world.call('POST', '/v2/encryption-key/rotate')).status).toBe(200)
    expect(await world.store.domains.certificateOf(HOST)).toEqual(DOMAIN_CERTIFICATE)
  })
})

describe('the DNS of a domain', () => {
  beforeEach(async () => {
    await open()
    dns.records.set('runyard.example.com', { A: ['10.0.0.1'] })
  })

  it('is told with each, and decides nothing', async () => {
    dns.records.set('a.example.com', { A: ['10.0.0.1'] })
    dns.records.set('b.example.com', { A: ['10.0.0.2'] })
    for (const name of ['a', 'b', 'c']) await add({ host: `${name}.example.com` })
    expect((await list()).map((one: { dns: string }) => one.dns)).toEqual([
      'points_here',
      'elsewhere',
      'unresolved',
    ])
    expect(world.hosts.size).toBe(3)
  })
})

describe('a host of somebody', () => {
  let red: string
  let key: string
  let theirs: string

  beforeEach(async () => {
    await open()
    red = (await world.call('POST', '/v2/workspaces', { name: 'Red' })).body.id
    key = await world.keyOf('developer', red)
    const made = await world.call('POST', '/v2/deployments', aCreateRequest({ name: 'red' }), key)
    theirs = `/v2/deployments/${made.body.id}/domains`
  })

  const addTheirs = () => world.call('POST', theirs, { host: HOST }, key)

  it('is added with a TXT record that is this workspace’s own, where there are several', async () => {
    const { status, body } = await addTheirs()
    const { name, value } = proofOf(world.store, { workspace_id: red }, HOST)
    expect(status).toBe(403)
    expect(body.detail).toContain(`the TXT record _runyard.${HOST} with the value "${value}"`)
    dns.records.set(name, { TXT: [proofOf(world.store, { workspace_id: 'other' }, HOST).value] })
    expect((await addTheirs()).status).toBe(403)
    prove(red, HOST)
    expect((await addTheirs()).status).toBe(201)
    expect(world.hosts).toEqual(new Map([[HOST, 'red']]))
  })

  it('is added by an admin of the first workspace without one, and by its developers with one', async () => {
    expect((await add({ host: HOST }, await world.keyOf('developer'))).status).toBe(403)
    expect((await add({ host: HOST })).status).toBe(201)
  })

  it('is refused while no DNS server answers', async () => {
    dns.records.set(`_runyard.${HOST}`, 'silent')
    expect(await addTheirs()).toMatchObject({
      status: 503,
      body: { detail: expect.stringContaining('No DNS server') },
    })
  })

  it.each(['removed', 'deleted with its deployment'])(
    'is kept for its workspace for 30 days after it was %s',
    async (how) => {
      prove(red, HOST)
      await addTheirs()
      const id = theirs.split('/')[3] ?? ''
      if (how === 'removed') await world.call('DELETE', `${theirs}/${HOST}`, undefined, key)
      else {
        await world.call('DELETE', `/v2/deployments/${id}`, undefined, key)
        await world.reconciler.whenTended(id)
        const again = aCreateRequest({ name: 'red' })
        const made = await world.call('POST', '/v2/deployments', again, key)
        theirs = `/v2/deployments/${made.body.id}/domains`
      }
      dns.records.clear()
      // Not even those who run the installation take it meanwhile.
      expect((await add({ host: HOST })).status).toBe(403)
      expect((await addTheirs()).status).toBe(201)
      await world.call('DELETE', `${theirs}/${HOST}`, undefined, key)
      world.clock.skip(30 * 24 * 3_600_000)
      expect((await addTheirs()).status).toBe(403)
      expect((await add({ host: HOST })).status).toBe(201)
    },
  )

  it('that another workspace had is added with a proof', async () => {
    prove(red, HOST)
    await addTheirs()
    await world.call('DELETE', `${theirs}/${HOST}`, undefined, key)
    prove(DEFAULT_WORKSPACE_ID, HOST)
    expect((await add({ host: HOST })).status).toBe(201)
  })
})

describe('while nobody has said at which name Runyard is reached', () => {
  beforeEach(() => open({ isUnnamed: true }))

  it('only those who run the installation add domains: others could take that name', async () => {
    expect(await add({ host: HOST }, await world.keyOf('developer'))).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('RUNYARD_PUBLIC_URL') },
    })
    expect((await add({ host: HOST })).status).toBe(201)
  })
})

describe('at a listener', () => {
  let key: string
  let path: string

  beforeEach(async () => {
    await open({ isReconciling: false })
    const request = { compute_type: 'k8s', compute_id: 'east', compute_config: {} }
    const listener = (await world.call('POST', '/v2/listeners', request)).body
    key = listener.key
    const deployment = await world.call('POST', '/v2/deployments', {
      ...{ name: 'east', source: 'external_docker', secrets: [] },
      source_config: { listener_id: listener.id, resource_spec: {} },
      source_revision_config: { image_uri: 'registry.example.com/agent:v1' },
    })
    path = `/v2/deployments/${deployment.body.id}/domains`
  })

  const addThere = (body: object) => world.call('POST', path, body)
  const hearOf = (url: string) => {
    const session = '22222222-2222-4222-8222-222222222222'
    const nothing = { revisions: [], names: [], logs: [] }
    const report = { session, sequence: 1, version: null, url, runyard: '1.0.0', ...nothing }
    return world.call('POST', '/internal/listener/exchange', report, key)
  }

  it('a domain leads to the listener, once that has said where it is', async () => {
    expect(await addThere({ host: HOST })).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^host: the listener of this deployment/) },
    })
    await hearOf('https://east.example.com')
    expect(await addThere({ host: HOST })).toMatchObject({
      status: 201,
      body: { url: `https://${HOST}` },
    })
    expect((await world.call('GET', path)).body.points_to).toBe('east.example.com')
    expect((await addThere({ host: 'east.example.com' })).status).toBe(400)
  })

  it('a certificate is the listener’s own', async () => {
    await hearOf('https://east.example.com')
    await addThere({ host: HOST })
    expect(
      await world.call('PUT', `${path}/${HOST}/certificate`, DOMAIN_CERTIFICATE),
    ).toMatchObject({
      status: 400,
      body: {
        detail: expect.stringMatching(/^certificate: the deployment answers at its listener/),
      },
    })
  })
})

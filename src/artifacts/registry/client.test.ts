import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import {
  basic,
  NO_REGISTRY,
  PULLER,
  PUSHER,
  startRegistry,
} from '../../../test/support/control-plane/registry.ts'
import { forAllTests } from '../../../test/support/running.ts'
import { parseImage } from '../../core/deployment/images/image.ts'
import type { RegistryLogin } from '../../core/deployment/images/pull-secret.ts'
import type { OwnRegistry } from '../../core/deployment/images/registry.ts'
import { parseIpRange } from '../../core/network/ip-range.ts'
import { createGuardedFetch } from '../../webhook/guarded-fetch.ts'
import { createRegistryClient } from './client.ts'
import { createWays } from './ways.ts'

const UNKNOWN = `sha256:${'0'.repeat(64)}`
const skipped = NO_REGISTRY ? ` (skipped: ${NO_REGISTRY})` : ''

/** Registries of this machine may be asked unless the test says otherwise. */
function ask(text: string, login?: RegistryLogin, asking: Asking = {}) {
  const image = parseImage(text)
  if (!image) throw new Error(`${text} is no image.`)
  return clientOf(asking).digestOf(image, { login })
}

function clientOf({ allow = 'loopback', own }: Asking = {}) {
  const setting = 'RUNYARD_REGISTRY_ALLOW'
  const outgoing = createGuardedFetch({ allowed: parseIpRange(allow) ?? [], setting })
  const everywhere = createGuardedFetch({ allowed: parseIpRange('0.0.0.0/0') ?? [], setting })
  const wayTo = createWays({ own, ownOutgoing: everywhere, outgoing })
  return createRegistryClient(wayTo)
}

interface Asking {
  allow?: string
  own?: OwnRegistry
}

describe.skipIf(NO_REGISTRY)(`a real registry${skipped}`, () => {
  const open = forAllTests(startRegistry)
  const closed = forAllTests(() => startRegistry({ hasLogins: true }))

  it('answers what a tag stands for now, and that a digest is there', async () => {
    const first = await open.put('team/agent', 'v1', 'one')
    expect(await ask(`${open.host}/team/agent:v1`)).toBe(first)
    const second = await open.put('team/agent', 'v1', 'two')
    expect(second).not.toBe(first)
    expect(await ask(`${open.host}/team/agent:v1`)).toBe(second)
    expect(await ask(`${open.host}/team/agent@${first}`)).toBe(first)
    const image = parseImage(`${open.host}/team/agent@${first}`) ?? expect.fail()
    expect(await clientOf().hasTriggers(image, {})).toBe(false)
    const digest = await open.put('team/agent', 'on-build', 'four', { OnBuild: 'RUN true' })
    expect(await clientOf().hasTriggers({ ...image, digest }, {})).toBe(true)
    await open.put('team/agent', 'latest', 'three')
    expect(await ask(`${open.host}/team/agent`)).toBe(await open.digestOf('team/agent', 'latest'))
  })

  it.each(['team/none', 'team/agent:none', `team/agent@${UNKNOWN}`])(
    'says that %s is not there',
    async (name) => {
      await open.put('team/agent', 'v1')
      await expect(ask(`${open.host}/${name}`)).rejects.toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining('There is no image'),
      })
    },
  )

  it('shows what is private to who may see it', async () => {
    const digest = await closed.put('team/agent', 'v1')
    expect(await ask(`${closed.host}/team/agent:v1`, PULLER)).toBe(digest)
    expect(await ask(`${closed.host}/team/agent:v1`, PUSHER)).toBe(digest)
    for (const login of [undefined, { ...PULLER, password: 'wrong' }])
      await expect(ask(`${closed.host}/team/agent:v1`, login)).rejects.toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining('RUNYARD_PULL_SECRET'),
      })
  })

  it('is asked only where the operator allows it, but for the one that the operator names', async () => {
    const digest = await open.put('team/agent', 'v1')
    const image = `${open.host}/team/agent:v1`
    await expect(ask(image, undefined, { allow: 'private' })).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('RUNYARD_REGISTRY_ALLOW'),
    })
    const own = { url: `http://${open.host}/team`, prefix: `${open.host}/team` }
    expect(await ask(image, undefined, { allow: '', own })).toBe(digest)
  })
})

describe('a registry that', () => {
  let server: Server | undefined
  afterEach(() => {
    server?.closeAllConnections()
    server?.close()
  })
  async function serve(listener: RequestListener): Promise<string> {
    server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it('gives tokens is asked for one, with the login', async () => {
    const digest = `sha256:${'a'.repeat(64)}`
    const seen: string[] = []
    const host = await serve((request, response) => {
      const { url = '', headers } = request
      seen.push(`${url} ${headers.authorization ?? '-'}`)
      if (url.startsWith('/token')) return response.end('{"token":"t0ken"}')
      if (headers.authorization === 'Bearer t0ken')
        return response.writeHead(200, { 'docker-content-digest': digest }).end()
      const scope = 'service="s",scope="repository:a/b:pull"'
      const challenge = `Bearer realm="http://${host}/token?x=1",${scope}`
      return response.writeHead(401, { 'www-authenticate': challenge }).end()
    })
    expect(await ask(`${host}/a/b:v1`, PULLER)).toBe(digest)
    expect(seen).toEqual([
      '/v2/a/b/manifests/v1 -',
      `/token?x=1&service=s&scope=repository%3Aa%2Fb%3Apull Basic ${basic(PULLER)}`,
      '/v2/a/b/manifests/v1 Bearer t0ken',
    ])
    expect(await ask(`${host}/a/b:v1`)).toBe(digest)
    expect(seen[4]).toMatch(/^\/token.* -$/)
  })

  it('names a place for tokens that may not be reached gets no login', async () => {
    const host = await serve((_, response) => {
      const challenge = 'Bearer realm="http://10.0.0.1/token",service="s"'
      response.writeHead(401, { 'www-authenticate': challenge }).end()
    })
    await expect(ask(`${host}/a/b`, PULLER)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('10.0.0.1 is not a public address'),
    })
  })

  it('does not tell the digest has it counted', async () => {
    const manifest = '{"schemaVersion":2}'
    const host = await serve((_, response) => response.end(manifest))
    const digest = `sha256:${createHash('sha256').update(manifest).digest('hex')}`
    expect(await ask(`${host}/a/b`)).toBe(digest)
    await expect(ask(`${host}/a/b@${UNKNOWN}`)).rejects.toMatchObject({ code: 'unavailable' })
  })

  it.each([
    [302, 'bad_request'],
    [400, 'bad_request'],
    [429, 'unavailable'],
    [503, 'unavailable'],
  ])('answers %i is %s', async (status, code) => {
    const host = await serve((_, response) => {
      response.writeHead(status, { location: 'http://10.0.0.1/' }).end()
    })
    await expect(ask(`${host}/a/b`)).rejects.toMatchObject({ code })
  })

  it.each([
    ['nonsense', undefined],
    ['Bearer realm="no url"', undefined],
    ['Basic realm="x"', PULLER],
  ])('challenges with %s leads to a refusal', async (challenge, login) => {
    const host = await serve((_, response) => {
      response.writeHead(401, { 'www-authenticate': challenge }).end()
    })
    await expect(ask(`${host}/a/b`, login)).rejects.toMatchObject({ name: 'AppError' })
  })
})

/** A deployment's hosts of its own, over HTTP/1.1, HTTP/2 and WebSockets, and the certificates of single hosts. */
import { once } from 'node:events'
import { connect } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import {
  CERTIFICATE,
  DOMAIN_CERTIFICATE,
  RENEWED_DOMAIN_CERTIFICATE,
} from '../../test/support/gateway/certificate.ts'
import {
  echo,
  exchangeBytes,
  KEY,
  openWorld,
  type World,
} from '../../test/support/gateway/gateway-world.ts'
import { HostNames } from './route.ts'
import { Certificates } from './server/http2.ts'

const HOST = 'agents.example.com'

let hosts: HostNames
let world: World

afterEach(() => world.close())

describe('a host of its own', () => {
  beforeEach(async () => {
    hosts = new HostNames()
    world = await openWorld({ hosts, domain: 'runyard.test', restartWaitMs: 500 })
    await world.serveAgent(echo)
    hosts.replace(new Map([[HOST, 'agent']]))
  })

  const at = (host: string, target: string, key = `X-Api-Key: ${KEY}\r\n`) =>
    exchangeBytes(
      world.port,
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${key}Connection: close\r\n\r\n`,
    )

  it.each([HOST, `${HOST}:8124`, 'Agents.EXAMPLE.com.'])(
    'leads to its deployment, at the root: %s',
    async (host) => {
      const answer = await at(host, '/agents/other/threads?y=1')
      expect(answer).toContain('"url":"/agents/other/threads?y=1"')
      expect(answer).toContain('x-runyard-revision: revision-1')
      expect(answer).not.toContain('x-forwarded-prefix')
    },
  )

  it('asks for a key as everywhere, and refuses paths that can be read in two ways', async () => {
    expect(await at(HOST, '/threads', '')).toMatch(/^HTTP\/1.1 401 /)
    expect(await at(HOST, '/ok', '')).toMatch(/^HTTP\/1.1 200 /)
    expect(await at(HOST, '/../threads')).toMatch(/^HTTP\/1.1 400 /)
  })

  it('leaves other hosts as they were, and answers no more once it is taken away', async () => {
    expect(await at('example.com', '/v2/x')).toContain('control plane: /v2/x')
    expect(await at(`x.${HOST}`, '/v2/x')).toContain('control plane: /v2/x')
    expect(await at('agent.runyard.test', '/v2/x')).toContain('"url":"/v2/x"')
    hosts.replace(new Map())
    expect(await at(HOST, '/v2/x')).toContain('control plane: /v2/x')
  })

  it('answers 404 where its deployment has gone already', async () => {
    world.gateway.targets.remove('agent')
    expect(await at(HOST, '/threads')).toMatch(/^HTTP\/1.1 404 .*"detail"/s)
  })

  it('takes WebSockets', async () => {
    const agent = await world.startAgent('revision-2', () => {})
    const echoing = new WebSocketServer({ server: agent.server })
    echoing.on('connection', (socket, req) => socket.send(req.url ?? ''))
    world.gateway.targets.set('agent', agent.target)
    const socket = new WebSocket(`ws://127.0.0.1:${world.port}/threads/1/stream`, {
      headers: { host: HOST, 'x-api-key': KEY },
    })
    const [message] = await once(socket, 'message')
    expect(String(message)).toBe('/threads/1/stream')
    socket.terminate()
  })
})

it('never leads away from where the server itself is reached by now', () => {
  const ownUrls = () => ['https://runyard.test:8443', undefined, null]
  const own = new HostNames({ ownUrls, domain: 'run.test' })
  const names = ['runyard.test', 'run.test', 'support.run.test', HOST, 'otherrun.test']
  own.replace(new Map(names.map((name) => [name, 'agent'])))
  const led = names.filter((name) => own.deploymentAt(name) !== undefined)
  expect(led).toEqual([HOST, 'otherrun.test'])
})

it('knows which domains are shared by several of its hosts', () => {
  const own = new HostNames({ ownUrls: () => ['https://runyard.test:8443'], domain: 'run.test' })
  own.replace(
    new Map([
      ['shop.customer.test', 'shop'],
      ['www.shop.test', 'shop'],
      ['other.customer.test', 'other'],
    ]),
  )
  const isShared = (domain: string, host: string) => own.isShared(domain, host)
  expect(isShared('customer.test', 'shop.customer.test')).toBe(true)
  expect(isShared('.shop.test', 'www.shop.test:8443')).toBe(false)
  expect(isShared('shop.customer.test', 'shop.customer.test')).toBe(false)
  expect(isShared('run.test', 'shop.run.test')).toBe(true)
  expect(isShared('shop.run.test', 'shop.run.test')).toBe(false)
  expect(isShared('runyard.test', 'shop.run.test')).toBe(true)
})

it('answers 503 and nothing of the control plane’s while nobody leads', async () => {
  hosts = new HostNames()
  hosts.replace(new Map([[HOST, 'agent']]))
  world = await openWorld({ hosts, leader: () => ({ url: undefined }) })
  const answer = await exchangeBytes(
    world.port,
    `GET /threads HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`,
  )
  expect(answer).toMatch(/^HTTP\/1.1 503 /)
})

describe('with TLS', () => {
  let certificates: Certificates

  beforeEach(async () => {
    hosts = new HostNames()
    certificates = new Certificates()
    world = await openWorld({ certificate: CERTIFICATE, certificates, hosts })
    await world.serveAgent(echo)
    hosts.replace(new Map([[HOST, 'agent']]))
  })

  const pemOf = ({ certificate: cert, private_key: key }: typeof DOMAIN_CERTIFICATE) => ({
    cert: Buffer.from(cert),
    key: Buffer.from(key),
  })

  const validFrom = async (servername?: string) => {
    const socket = connectTls({
      port: world.port,
      rejectUnauthorized: false,
      ...(servername && { servername }),
    })
    await once(socket, 'secureConnect')
    const { subject, valid_from } = socket.getPeerCertificate()
    socket.destroy()
    return `${subject.CN}, ${new Date(valid_from).toISOString().slice(0, 10)}`
  }

  it('leads there over HTTP/2, with the certificate of that host', async () => {
    certificates.set(HOST, pemOf(DOMAIN_CERTIFICATE))
    const session = connect(`https://${HOST}:${world.port}`, {
      ca: DOMAIN_CERTIFICATE.certificate,
      host: '127.0.0.1',
      servername: HOST,
    })
    const stream = session.request({ ':path': '/threads', 'x-api-key': KEY }).setEncoding('utf8')
    const [answered] = await once(stream, 'response')
    let body = ''
    for await (const chunk of stream) body += chunk
    session.close()
    expect(answered[':status']).toBe(200)
    expect(session.alpnProtocol).toBe('h2')
    expect(JSON.parse(body)).toMatchObject({ url: '/threads' })
  })

  it('shows each host its own, a new one at once, and everybody else the server’s', async () => {
    const own = await validFrom()
    expect(await validFrom(HOST)).toBe(own)
    certificates.set(HOST, pemOf(DOMAIN_CERTIFICATE))
    expect(await validFrom('Agents.example.com')).toBe(`${HOST}, 2020-01-01`)
    expect(await validFrom('localhost')).toBe(own)
    certificates.set(HOST, pemOf(RENEWED_DOMAIN_CERTIFICATE))
    expect(await validFrom(HOST)).toBe(`${HOST}, 2020-02-01`)
    certificates.remove(HOST)
    expect(await validFrom(HOST)).toBe(own)
  })
})

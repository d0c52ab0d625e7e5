/** Every operation of both documents: closed to those without a key, but for the few on a list. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { DEFAULT_WORKSPACE_ID } from '../../src/core/people/api-key.ts'
import { Gateway } from '../../src/gateway/gateway.ts'
import { createAuthenticate } from '../../src/http/keys.ts'
import {
  type DocumentName,
  nameOf,
  type Operation,
  operationsOf,
  readDocument,
} from '../contract/document.ts'
import { type RunningAgentServer, startAgentServer } from '../support/agent/agent-server.ts'
import {
  type ControlPlaneWorld,
  startControlPlane,
} from '../support/control-plane/control-plane.ts'

/** What answers without a key: a load balancer's question, and what is sent to or fetched from a signed address. */
const OPEN: Record<DocumentName, string[]> = {
  'agent-server': ['GET /info', 'GET /ok', 'GET /ui/{graph_id}/{file}'],
  'control-plane': [
    'GET /internal/artifacts/{revision_id}/{digest}',
    'GET /internal/domains/ask',
    'GET /v2/auth/callback/{provider_id}',
    'GET /v2/auth/setup/{provider_id}',
    'GET /v2/auth/start/{auth_id}',
    'GET /v2/session/oidc',
    'GET /v2/session/oidc/callback',
    'GET /v2/session/ways',
    'POST /v2/auth/start/{auth_id}',
    'POST /v2/pushes/{deployment_id}',
    'POST /v2/session',
    'PUT /internal/builds/{revision_id}/{digest}',
    'PUT /v2/uploads/{deployment_id}/{file}',
  ],
}

/** With a listener's own key, and no other one: `control-plane/listeners.test.ts`. */
const OF_LISTENERS = ['POST /internal/listener/caller', 'POST /internal/listener/exchange']

/** How somebody who has no key tries. */
const STRANGERS: [string, Record<string, string>][] = [
  ['no key', {}],
  ['an empty key', { 'x-api-key': ' ' }],
  ['an unknown key', { 'x-api-key': 'ry_unknown' }],
  ['an unknown bearer token', { authorization: 'Bearer ry_unknown' }],
  ['a password', { authorization: 'Basic dXNlcjpwYXNz' }],
  ['a workspace alone', { 'x-tenant-id': DEFAULT_WORKSPACE_ID }],
]

const KEY = 'the-key-of-the-server'
const GATEWAY_TOKEN = 'the-secret-of-the-gateway'

let controlPlane: ControlPlaneWorld
let keyed: RunningAgentServer
let deployed: RunningAgentServer
let gateway: Gateway
let gatewayUrl: string

beforeAll(async () => {
  controlPlane = await startControlPlane({ isReconciling: false })
  keyed = await startAgentServer({ apiKeys: [KEY] })
  deployed = await startAgentServer({ gatewayToken: GATEWAY_TOKEN })
  const { apiKeys } = controlPlane.store
  const authenticate = createAuthenticate({ apiKeys, clock: systemClock })
  const fallback = () => {
    throw new Error('Only the deployment is asked.')
  }
  gateway = new Gateway({ authenticate, fallback, log: silentLog })
  gateway.targets.set('support', {
    deployment_id: randomUUID(),
    workspace_id: DEFAULT_WORKSPACE_ID,
    revision_id: randomUUID(),
    endpoints: [{ url: deployed.url, token: GATEWAY_TOKEN }],
  })
  gatewayUrl = `${await gateway.start({ host: '127.0.0.1', port: 0 })}/agents/support`
})
afterAll(async () => {
  await gateway.stop()
  await deployed.stop()
  await keyed.stop()
  await controlPlane.close()
})

describe.each(STRANGERS)('with %s', (_, headers) => {
  it('no operation of the control plane is open', async () => {
    await expectClosed(controlPlane.url, 'control-plane', headers)
    await expectClosed(`${controlPlane.url}/api-host`, 'control-plane', headers)
  })

  it('no operation of an agent server that has keys is open', () =>
    expectClosed(keyed.url, 'agent-server', headers))

  it('no operation of a deployment is open, through the gateway or past it', async () => {
    await expectClosed(gatewayUrl, 'agent-server', headers)
    await expectClosed(deployed.url, 'agent-server', headers)
  })
})

it('the same operations are open to those who have one', async () => {
  const withKey = { 'x-api-key': KEY }
  const withAdminKey = { 'x-api-key': controlPlane.adminKey }
  await expectOpen(controlPlane.url, 'control-plane', withAdminKey)
  await expectOpen(keyed.url, 'agent-server', withKey)
  await expectOpen(gatewayUrl, 'agent-server', withAdminKey)
})

it('a key past the gateway is none', async () => {
  const headers = { 'x-api-key': controlPlane.adminKey }
  await expectClosed(deployed.url, 'agent-server', headers)
})

describe('the document of the agent server', () => {
  const document = readDocument('agent-server')

  it('names the two ways to send a key', () => {
    expect(document.components?.securitySchemes).toMatchObject({
      'API Key': { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      'Bearer Auth': { type: 'http', scheme: 'bearer' },
    })
    expect(document.security).toEqual([{ 'API Key': [] }, { 'Bearer Auth': [] }])
  })
})

it.each(Object.entries(OPEN))('the document of the %s says which need no key', (name, open) => {
  const document = readDocument(name as DocumentName)
  const said = operationsOf(document).filter(
    ({ operation }) => (operation.security ?? document.security ?? []).length === 0,
  )
  expect(said.map(nameOf).toSorted()).toEqual(open)
})

async function expectClosed(base: string, name: DocumentName, headers: Record<string, string>) {
  for (const one of operationsOf(readDocument(name))) {
    const operation = nameOf(one)
    const { status, detail } = await ask(base, one, headers)
    if (OPEN[name].includes(operation)) expect([operation, status]).not.toEqual([operation, 401])
    else expect([operation, status, detail]).toEqual([operation, 401, expect.any(String)])
  }
}

async function expectOpen(base: string, name: DocumentName, headers: Record<string, string>) {
  const operations = operationsOf(readDocument(name))
  for (const one of operations.filter((each) => !OF_LISTENERS.includes(nameOf(each)))) {
    const { status } = await ask(base, one, headers)
    expect([nameOf(one), status]).not.toEqual([nameOf(one), 401])
  }
}

/** With ids of nothing and without a body. */
async function ask(base: string, { method, path }: Operation, headers: Record<string, string>) {
  const url = base + path.replace(/\{\w+\}/g, () => randomUUID())
  const response = await fetch(url, { method, headers })
  const { status } = response
  if (status === 401) return { status, ...((await response.json()) as { detail: unknown }) }
  await response.body?.cancel()
  return { status, detail: undefined }
}

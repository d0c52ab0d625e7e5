/** Domains of a deployment before a whole Runyard that speaks TLS: certificates by SNI, a rollout, a restart. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Revision } from '../../client/src/client.ts'
import { fixtureProject } from '../support/agent/agent-server.ts'
import { createGitRepository, type GitRepository } from '../support/control-plane/git-repository.ts'
import {
  CERTIFICATE,
  CERTIFICATE_FILES,
  DOMAIN_CERTIFICATE,
  RENEWED_DOMAIN_CERTIFICATE,
} from '../support/gateway/certificate.ts'
import { startRunyard, type TestRunyard } from '../support/processes/runyard.ts'

const MODULES = new URL('../../node_modules', import.meta.url).pathname
const HOST = 'agents.example.com'
const OTHER = 'blue.team.example.com'
const env = { RUNYARD_TLS_CERT: CERTIFICATE_FILES.cert, RUNYARD_TLS_KEY: CERTIFICATE_FILES.key }
const ca = [CERTIFICATE.cert, Buffer.from(DOMAIN_CERTIFICATE.certificate)]
const POLL = { timeout: 120_000, interval: 100 }

let repository: GitRepository
let runyard: TestRunyard
let key: string | undefined
beforeAll(async () => {
  repository = createGitRepository(fixtureProject('echo'))
  runyard = await startRunyard({ env })
  key = runyard.adminKey
})
afterAll(async () => {
  await runyard?.stop()
  repository?.remove()
})

interface Answer {
  status: number | undefined
  revision: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  body: any
}

/** One request to this name, whose certificate has to be good for it. */
async function ask(host: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const asked = request({
    ...{ host: '127.0.0.1', port: new URL(runyard.url).port, servername: host, ca, method, path },
    agent: false,
    headers: { host, 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
  })
  asked.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  const revision = answer.headers['x-runyard-revision']?.toString()
  return { status: answer.statusCode, revision, body: text === '' ? undefined : JSON.parse(text) }
}

const call = (method: string, path: string, body?: unknown) => ask('localhost', method, path, body)

/** The beginning of what the certificate shown for this name is valid from. */
async function shownFor(servername: string): Promise<string> {
  const socket: TLSSocket = connectTls({
    ...{ port: Number(new URL(runyard.url).port), servername, rejectUnauthorized: false },
  })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

test('a deployment answers at its domains, with their certificates', {
  timeout: 240_000,
}, async () => {
  const created = await call('POST', '/v2/deployments', {
    name: 'named',
    source: 'github',
    source_config: {
      repo_url: repository.url,
      install_command: `mkdir node_modules && ln -s ${MODULES}/* node_modules`,
    },
    source_revision_config: { repo_ref: 'main', langgraph_config_path: 'langgraph.json' },
    secrets: [],
  })
  expect(created.status).toBe(201)
  const deployment = `/v2/deployments/${created.body.id}`
  const domains = `${deployment}/domains`
  const untilDeployed = (id: string) => {
    const status = async () =>
      ((await call('GET', `${deployment}/revisions/${id}`)).body as Revision).status
    return expect.poll(status, POLL).toBe('DEPLOYED')
  }
  await untilDeployed(created.body.latest_revision_id)

  // Without a certificate of its own the installation's is shown, which is not for this name.
  const own = await shownFor('localhost')
  expect((await call('POST', domains, { host: HOST })).status).toBe(201)
  expect(await shownFor(HOST)).toBe(own)
  await expect(ask(HOST, 'GET', '/info')).rejects.toThrow(/altnames/)

  const set = await call('PUT', `${domains}/${HOST}/certificate`, DOMAIN_CERTIFICATE)
  expect(await shownFor(HOST)).toBe(set.body.certificate.fingerprint)
  expect(await shownFor('localhost')).toBe(own)
  expect(await ask(HOST, 'POST', '/threads', {})).toMatchObject({ status: 200 })
  expect((await call('GET', deployment)).body.addresses).toContain(
    `https://${HOST}:${new URL(runyard.url).port}`,
  )

  // Nothing is lost at it while others come and go, while it gets another certificate, and in a rollout.
  let isDone = false
  const failed: unknown[] = []
  const asking = (async () => {
    while (!isDone) {
      const { status } = await ask(HOST, 'POST', '/threads/search', {})
      if (status !== 200) failed.push(status)
    }
  })().catch((error) => failed.push(error))
  const redeployed = await call(
    'POST',
    `${deployment}/revisions/${created.body.latest_revision_id}/redeploy`,
  )
  expect((await call('POST', domains, { host: OTHER, ...DOMAIN_CERTIFICATE })).status).toBe(201)
  expect((await ask(OTHER, 'GET', '/info')).status).toBe(200)
  const renewed = await call('PUT', `${domains}/${HOST}/certificate`, RENEWED_DOMAIN_CERTIFICATE)
  expect(await shownFor(HOST)).toBe(renewed.body.certificate.fingerprint)
  expect((await call('DELETE', `${domains}/${OTHER}`)).status).toBe(204)
  expect(await shownFor(OTHER)).toBe(own)
  await untilDeployed(redeployed.body.latest_revision_id)
  isDone = true
  await asking
  expect(failed).toEqual([])

  await call('PATCH', deployment, { is_public: true })
  key = undefined
  expect((await ask(HOST, 'POST', '/threads/search', {})).status).toBe(200)

  await runyard.halt()
  runyard = await startRunyard({ dataDir: runyard.dataDir, env })
  expect(await shownFor(HOST)).toBe(renewed.body.certificate.fingerprint)
  await expect
    .poll(async () => (await ask(HOST, 'POST', '/threads/search', {})).status, POLL)
    .toBe(200)
  key = runyard.adminKey
  await call('PATCH', deployment, { is_public: false })
  key = undefined
  expect((await ask(HOST, 'POST', '/threads/search', {})).status).toBe(401)
  key = runyard.adminKey

  await call('DELETE', deployment)
  await expect.poll(() => shownFor(HOST), POLL).toBe(own)
})

/** `up` and `serve` with a certificate of their own, to HTTP clients and to a real browser. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFile } from 'node:fs/promises'
import { connect, type OutgoingHttpHeaders } from 'node:http2'
import { join, resolve } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { silentLog } from '../../src/core/log.ts'
import { createTlsServer } from '../../src/gateway/server/http2.ts'
import { close, listen } from '../../src/http/listen.ts'
import { followCertificate } from '../../src/main/installation/certificate.ts'
import { fixtureProject } from '../support/agent/agent-server.ts'
import { NO_BROWSER, startBrowser } from '../support/dashboard/browser.ts'
import { CERTIFICATE, CERTIFICATE_FILES, RENEWED_FILES } from '../support/gateway/certificate.ts'
import { startRunyard } from '../support/processes/runyard.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const bin = resolve(import.meta.dirname, '../../bin/runyard')
const ca = CERTIFICATE.cert
const env = { RUNYARD_TLS_CERT: CERTIFICATE_FILES.cert, RUNYARD_TLS_KEY: CERTIFICATE_FILES.key }
const skipped = NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''

/** What a browser knows of its requests. */
interface Timings {
  getEntriesByType(type: string): { nextHopProtocol: string }[]
}

/** One request over HTTP/2. */
async function ask(url: string, headers: OutgoingHttpHeaders, body?: string) {
  const session = connect(url, { ca })
  const stream = session.request(headers, { endStream: body === undefined }).setEncoding('utf8')
  if (body !== undefined) stream.end(body)
  const [answered] = await once(stream, 'response')
  let text = ''
  for await (const chunk of stream) text += chunk
  session.close()
  return { status: answered[':status'] as number, body: JSON.parse(text) }
}

describe('serve', () => {
  const folder = temporaryFolder()
  let serving: ServeProcess
  beforeAll(async () => {
    const args = [bin, 'serve', '--port', '0', '--data-dir', folder]
    serving = await startServeProcess(process.execPath, args, {
      cwd: fixtureProject('protocol'),
      env,
    })
  })
  afterAll(async () => {
    expect(await serving.stop()).toBe(0)
  })

  test('answers over HTTP/2, and keeps strange names out there too', async () => {
    expect(serving.url).toMatch(/^https:/)
    const create = { ':path': '/threads', ':method': 'POST', 'content-type': 'application/json' }
    const made = await ask(serving.url, create, '{}')
    expect(made).toMatchObject({ status: 200, body: { status: 'idle' } })
    const strange = await ask(serving.url, { ...create, ':authority': 'evil.test' }, '{}')
    expect(strange.status).toBe(403)
  })

  test('takes WebSockets', async () => {
    const id = crypto.randomUUID()
    const url = `${serving.url.replace('http', 'ws')}/threads/${id}/stream/events`
    const socket = new WebSocket(url, { ca })
    await once(socket, 'open')
    socket.send('{"id":1,"method":"subscription.subscribe","params":{"channels":["lifecycle"]}}')
    const [message] = await once(socket, 'message')
    expect(JSON.parse(String(message))).toMatchObject({ id: 1, type: 'success' })
    socket.terminate()
  })

  test.skipIf(NO_BROWSER)(
    `has a page follow seven threads at once, and ask${skipped}`,
    async () => {
      const browser = await startBrowser()
      onTestFinished(() => browser.close())
      const page = await browser.newPage({ ignoreHTTPSErrors: true })
      await page.goto(`${serving.url}/docs`)
      const seen = await page.evaluate(async () => {
        const headers = { 'content-type': 'application/json' }
        const follow = async () => {
          const made = await fetch('/threads', { method: 'POST', headers, body: '{}' })
          const { thread_id } = (await made.json()) as { thread_id: string }
          return (await fetch(`/threads/${thread_id}/stream`)).headers.get('content-type')
        }
        const types = await Promise.all(Array.from({ length: 7 }, follow))
        const { status } = await fetch('/info')
        const { getEntriesByType } = performance as unknown as Timings
        const [visit] = getEntriesByType.call(performance, 'navigation')
        return { types, status, protocol: visit?.nextHopProtocol }
      })
      const types = Array(7).fill('text/event-stream')
      expect(seen).toEqual({ types, status: 200, protocol: 'h2' })
    },
  )
})

test('up says https in what it hands out, answers over HTTP/2, and doctor is content', async () => {
  const runyard = await startRunyard({ env })
  onTestFinished(() => runyard.stop())
  const doctor = ['doctor', '--json', '--port', new URL(runyard.url).port]
  const own = { ...process.env, ...env, RUNYARD_DATA_DIR: runyard.dataDir }
  const { stdout } = await promisify(execFile)(bin, doctor, { env: own })
  expect(JSON.parse(stdout)).toEqual(
    expect.arrayContaining([
      { what: 'port', status: 'ok', says: expect.stringContaining('a Runyard answers') },
      { what: 'certificate', status: 'ok', says: expect.stringContaining('DNS:localhost') },
    ]),
  )
  expect(runyard.url).toMatch(/^https:/)
  const key = { 'x-api-key': runyard.adminKey, 'content-type': 'application/json' }
  const create = { ':path': '/v2/deployments', ':method': 'POST', ...key }
  const deployment = {
    name: 'tls',
    source: 'internal_source',
    source_config: {},
    source_revision_config: {},
    secrets: [],
  }
  const { status, body } = await ask(runyard.url, create, JSON.stringify(deployment))
  expect(status).toBe(201)
  expect(body.source_config.custom_url).toBe(`${runyard.url}/agents/tls`)
  const path = `/v2/deployments/${body.id}/upload-url`
  const upload = await ask(runyard.url, { ':path': path, ':method': 'POST', ...key }, '')
  expect(upload.body.upload_url).toMatch(runyard.url)
})

test('a certificate that is renewed is shown to the next who comes', async () => {
  const folder = temporaryFolder()
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  await copyFile(CERTIFICATE_FILES.cert, files.cert)
  await copyFile(CERTIFICATE_FILES.key, files.key)
  const server = createTlsServer(CERTIFICATE)
  const stop = followCertificate(server, files, { log: silentLog, lookMs: 20 })
  const url = new URL(await listen(server, { host: '127.0.0.1', port: 0 }))
  onTestFinished(async () => {
    stop()
    await close(server)
  })
  const shown = async () => {
    const socket: TLSSocket = connectTls({ port: Number(url.port), rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { CN } = socket.getPeerCertificate().subject
    socket.destroy()
    return CN
  }
  expect(await shown()).toBe('localhost')
  await copyFile(RENEWED_FILES.key, files.key)
  await copyFile(RENEWED_FILES.cert, files.cert)
  await expect.poll(shown).toBe('renewed')
})

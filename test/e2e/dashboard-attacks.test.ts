/** Pages that would like to use somebody's session, in a real browser: an agent's, and another server's. */
import { writeFileSync } from 'node:fs'
import http, { type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRecogniseSession } from '../../src/control-plane/sessions/find.ts'
import { silentLog } from '../../src/core/log.ts'
import { DEFAULT_WORKSPACE_ID } from '../../src/core/people/api-key.ts'
import { Gateway } from '../../src/gateway/gateway.ts'
import { createAuthenticate } from '../../src/http/keys.ts'
import { createSiteOf } from '../../src/http/site.ts'
import { openDashboard } from '../../src/main/dashboard.ts'
import { Started } from '../../src/process/started.ts'
import {
  type ControlPlaneWorld,
  startControlPlane,
} from '../support/control-plane/control-plane.ts'
import { NO_BROWSER, startBrowser } from '../support/dashboard/browser.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** What such a page tries; it answers what came of each. */
const TRIES = `async (base) => {
  const attempt = (work) => Promise.resolve().then(work).then(String, () => 'refused')
  const socket = () => new Promise((resolve, reject) => {
    const one = new WebSocket(base.replace('http', 'ws') + '/agents/evil/threads/1/stream/events')
    one.onopen = () => resolve('open')
    one.onerror = reject
  })
  const frame = () => {
    const one = document.createElement('iframe')
    one.src = base + '/'
    // A frame that is refused is told of as loaded as well; until then it holds an empty page of ours.
    const loaded = new Promise((resolve) => { one.onload = resolve })
    document.body.append(one)
    return loaded.then(() => one.contentDocument.title)
  }
  return {
    cookie: await attempt(() => document.cookie),
    read: await attempt(async () => (await fetch(base + '/v2/me', { credentials: 'include' })).status),
    write: await attempt(async () => (await fetch(base + '/v2/workspaces', {
      method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"name":"stolen"}' })).type),
    worker: await attempt(() => navigator.serviceWorker.register(base + '/agents/evil/worker.js')),
    socket: await attempt(socket),
    frame: await attempt(frame),
  }
}`

const seen: { path: string | undefined; cookie: string | undefined }[] = []
const evil: RequestListener = (req, res) => {
  seen.push({ path: req.url, cookie: req.headers.cookie })
  const isCode = req.url?.endsWith('.js')
  res.setHeader('content-type', isCode ? 'text/javascript' : 'text/html')
  res.setHeader('set-cookie', `runyard_session_${port}=forged; Path=/`)
  res.setHeader('clear-site-data', '"cookies"')
  res.end(isCode ? 'document.title = "taken over"' : '<!doctype html><title>evil</title><body>')
}

let port: string
let folder: string
let world: ControlPlaneWorld
let agent: Server
/** Of somebody else, on this machine. */
let stranger: Server
let gateway: Gateway
let _door: Server
let base: string
let browser: Browser

describe.skipIf(NO_BROWSER)(`a session${NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''}`, () => {
  beforeAll(async () => {
    folder = temporaryFolder()
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Runyard</title><body>')
    const parts = { started: new Started(silentLog), log: silentLog, home: { folder } }
    const { pages } = openDashboard({ isDashboardWanted: true }, parts)
    world = await startControlPlane({ isReconciling: false, ...(pages && { pages }) })
    const { store, clock } = world
    const siteOf = createSiteOf({ publicUrl: () => base, isTls: false })
    const recogniseSession = createRecogniseSession({ store, clock, siteOf })
    const authenticate = createAuthenticate({ apiKeys: store.apiKeys, clock, recogniseSession })
    agent = http.createServer(evil).listen(0, '127.0.0.1')
    stranger = http.createServer((_, res) => {
      res.setHeader('content-type', 'text/html').end('<!doctype html><title>other</title><body>')
    })
    stranger.listen(0, '127.0.0.1')
    gateway = new Gateway({ authenticate, fallback: passOn, log: silentLog })
    base = await gateway.start({ host: '127.0.0.1', port: 0 })
    port = new URL(base).port
    gateway.targets.set('evil', {
      ...{ deployment_id: 'd', workspace_id: DEFAULT_WORKSPACE_ID, revision_id: 'r' },
      endpoints: [{ url: addressOf(agent), token: 't' }],
    })
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway.stop()
    agent.close()
    stranger.close()
    await world.close()
  })

  it('works for its own page, also at an agent', async () => {
    const page = await signedIn()
    expect(await ask(page, '/v2/me')).toBe(200)
    seen.length = 0
    expect(await ask(page, '/agents/evil/threads')).toBe(200)
    expect(seen).toEqual([{ path: '/threads', cookie: undefined }])
    // What the agent has answered with it has changed nothing.
    expect(await ask(page, '/v2/me')).toBe(200)
  })

  it('is nothing to a document of an agent', async () => {
    const page = await signedIn()
    await page.goto(`${base}/`)
    const link = `const one = document.createElement('a'); one.href = '/agents/evil/page';
      document.body.append(one); one.click()`
    await Promise.all([page.waitForURL('**/agents/evil/page'), page.evaluate(link)])
    expect(await page.title()).toBe('evil')
    expect(await page.evaluate('origin')).toBe('null')
    expect(await page.evaluate(`(${TRIES})('${base}')`)).toEqual({
      ...{ cookie: 'refused', read: 'refused', write: 'opaque', worker: 'refused' },
      ...{ socket: 'refused', frame: 'refused' },
    })
    expect(await workspaces()).not.toContain('stolen')
    await page.goto(`${base}/`)
    expect(await ask(page, '/v2/me')).toBe(200)
  })

  it('is nothing to an agent’s script, which our page does not run', async () => {
    const page = await signedIn()
    const load = `new Promise((resolve) => {
      const one = document.createElement('script')
      one.src = '/agents/evil/code.js'
      one.onload = () => resolve('loaded')
      one.onerror = () => resolve('refused')
      document.body.append(one)
    })`
    expect(await page.evaluate(load)).toBe('refused')
    expect(await page.title()).toBe('Runyard')
  })

  it('is nothing to a page of another port of this host', async () => {
    const page = await signedIn()
    const other = addressOf(stranger)
    await page.goto(`${other}/page`)
    const came = (await page.evaluate(`(${TRIES})('${base}')`)) as Record<string, string>
    // Its own origin's cookies: cookies know no ports, but ours is hidden from scripts.
    expect(came.cookie).not.toContain('session')
    expect(came).toMatchObject({
      read: 'refused',
      write: 'opaque',
      socket: 'refused',
      frame: 'refused',
    })
    expect(await workspaces()).not.toContain('stolen')
    const form = `const one = document.createElement('form'); one.method = 'post'; one.enctype = 'text/plain';
      one.action = '${base}/v2/workspaces'; one.innerHTML = '<input name=\\'{"name":"stolen","x":"\\' value=\\'"}\\'>';
      document.body.append(one); one.submit()`
    await Promise.all([page.waitForURL('**/v2/workspaces'), page.evaluate(form)])
    expect(await page.content()).toContain('own pages')
    expect(await workspaces()).not.toContain('stolen')
  })

  it('does not count at a name that somebody else has given to this machine', async () => {
    const rebound = await browser.newContext()
    const page = await rebound.newPage()
    const named = `http://rebound.localhost.test:${port}`
    await page.route(`${named}/**`, async (route) => {
      const url = route.request().url().replace(named, base)
      const headers = { ...route.request().headers(), host: new URL(named).host }
      await route.fulfill({ response: await route.fetch({ url, headers }) })
    })
    await page.goto(`${named}/`)
    const body = JSON.stringify({ api_key: world.adminKey })
    const signIn = `fetch('/v2/session', { method: 'POST', body: ${JSON.stringify(body)} })
      .then((answer) => answer.status)`
    expect(await page.evaluate(signIn)).toBe(400)
    await rebound.close()
  })
})

/** A browser of its own whose page has signed in. */
async function signedIn(): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${base}/`)
  const body = JSON.stringify({ api_key: world.adminKey })
  const signIn = `fetch('/v2/session', { method: 'POST', body: ${JSON.stringify(body)} })
    .then((answer) => answer.status)`
  expect(await page.evaluate(signIn)).toBe(201)
  return page
}

function ask(page: Page, path: string): Promise<unknown> {
  return page.evaluate(`fetch('${path}').then((answer) => answer.status)`)
}

async function workspaces(): Promise<string[]> {
  const { body } = await world.call('GET', '/v2/workspaces')
  return body.resources.map(({ name }: { name: string }) => name)
}

/** What is not an agent's is the control plane's, as in one process. */
const passOn: RequestListener = (req, res) => {
  const { method = 'GET', headers } = req
  // A kept connection may be one that the server has just closed.
  const options = { method, headers, agent: false } as const
  const passed = http.request(`${world.url}${req.url}`, options, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(res)
  })
  passed.on('error', () => res.destroy())
  req.pipe(passed)
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

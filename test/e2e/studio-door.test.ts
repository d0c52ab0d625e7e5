/** The Studio of `runyard serve`: whom it lets in, and what the project's code sees of that. */
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtDashboard } from '../support/dashboard/dashboard-build.ts'
import { Page } from '../support/dashboard/page.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = resolve(import.meta.dirname, '../..')
const KEY = 'the-key-of-the-studio'
const html = { accept: 'text/html' }

async function startServer(env: Record<string, string> = {}): Promise<ServeProcess> {
  const config = 'test/fixtures/projects/echo/langgraph.json'
  const dataDir = temporaryFolder()
  const args = ['serve', '--config', config, '--port', '0', '--data-dir', dataDir]
  const server = await startServeProcess('bin/runyard', args, { cwd: root, env })
  const stop = async () => {
    const code = await server.stop()
    return code
  }
  return { ...server, stop }
}

describe('with keys', () => {
  let example: ServeProcess
  beforeAll(async () => {
    await builtDashboard()
    example = await startServer({ RUNYARD_API_KEYS: `another-key,${KEY}` })
  })
  afterAll(() => example?.stop())

  const signIn = (page: Page, api_key = KEY, headers = {}) =>
    page.ask('/studio/session', { method: 'POST', body: { api_key }, headers })
  const search = { method: 'POST', body: {} }

  it('answers the app to everybody, and the server to those who have signed in', async () => {
    const page = new Page(example.url)
    const app = await page.ask('/studio/', { headers: html })
    expect(app.text).toContain('content="agent-server"')
    expect(app.text).toContain('<base href="/studio/" />')
    const [script] = /assets\/index-[\w-]+\.js/.exec(app.text) ?? []
    expect((await page.ask(`/studio/${script}`)).headers['content-type']).toContain('javascript')
    expect((await page.ask('/studio/assets/nothing.js')).status).toBe(404)

    expect((await page.ask('/studio/session')).status).toBe(401)
    expect((await page.ask('/assistants/search', search)).status).toBe(401)
    expect((await signIn(page, 'wrong')).status).toBe(401)
    expect((await page.ask('/studio/session', { method: 'POST', body: {} })).status).toBe(400)
    const { status, headers, body } = await signIn(page)
    expect([status, body.name]).toEqual([201, 'developer'])
    expect(headers['set-cookie']?.[0]).toMatch(/^runyard_studio_\d+=.*HttpOnly; SameSite=Strict$/)
    expect(JSON.stringify([...page.cookies])).not.toContain(KEY)
    expect((await page.ask('/studio/session')).body.role).toBe('admin')
    expect((await page.ask('/assistants/search', search)).status).toBe(200)
    expect((await page.ask('/studio/session', { method: 'DELETE' })).status).toBe(204)
    expect((await page.ask('/assistants/search', search)).status).toBe(401)
  })

  it('reads no more of a credential than one can have, announced or not', async () => {
    const url = `${example.url}/studio/session`
    const long = JSON.stringify({ api_key: 'k'.repeat(100_000) })
    const announced = await fetch(url, { method: 'POST', body: long })
    expect(announced.status).toBe(413)
    let chunks = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1
        if (chunks > 4_000) controller.close()
        else controller.enqueue(new Uint8Array(65_536))
      },
    })
    const endless = await fetch(url, { method: 'POST', body, duplex: 'half' }).catch(
      () => undefined,
    )
    expect([413, undefined]).toContain(endless?.status)
    expect(chunks).toBeLessThan(4_000)
  })

  it('takes no cookie from a page of another origin, from another host name, or that is forged', async () => {
    const page = new Page(example.url)
    await signIn(page)
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': undefined, origin: 'http://127.0.0.1:1' },
      { host: `rebound.example:${new URL(example.url).port}` },
    ]
    for (const headers of foreign) {
      const { status } = await page.ask('/assistants/search', { ...search, headers })
      expect([headers, status]).toEqual([headers, 401])
      expect((await signIn(new Page(example.url), KEY, headers)).status).toBe(403)
    }
    const [[name, value] = ['', '']] = page.cookies
    const [ends, id, mac = ''] = value.split('.')
    for (const forged of [
      `${Number(ends) + 1}.${id}.${mac}`,
      `${ends}.${id}.x`,
      `1.${id}.${mac}`,
    ]) {
      page.cookies.set(name, forged)
      expect((await page.ask('/assistants/search', search)).status).toBe(401)
    }
  })
})

it('without keys nobody is asked for one; RUNYARD_DASHBOARD=0 leaves the address to the project', async () => {
  const example = await startServer()
  try {
    const page = new Page(example.url)
    expect((await page.ask('/studio/session')).body.name).toBe('developer')
    expect((await page.ask('/assistants/search', { method: 'POST', body: {} })).status).toBe(200)
  } finally {
    await example.stop()
  }
  const without = await startServer({ RUNYARD_DASHBOARD: '0' })
  try {
    const { status, body } = await new Page(without.url).ask('/studio', { headers: html })
    expect([status, body.detail]).toEqual([404, 'No route GET /studio.'])
  } finally {
    await without.stop()
  }
})

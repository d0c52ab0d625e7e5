/**
 * The OAuth vault of three control planes on one PostgreSQL, each a process of its own, one of which leads.
 * `test/api/control-plane/oauth/refresh.test.ts` has three that refresh side by side.
 */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startOAuthProvider, type TestOAuthProvider } from '../support/oauth/oauth-provider.ts'
import { Person } from '../support/oauth/person.ts'
import { freshPostgres } from '../support/postgres/postgres.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = resolve(import.meta.dirname, '../..')
const KEY = 'ry_the_key_of_all_three'
/** How many ask for a token at the same time. */
const AT_ONCE = 60

let acme: TestOAuthProvider
let servers: ServeProcess[]
let folders: string[]
beforeEach(async () => {
  acme = await startOAuthProvider({ isRotating: false, lifetimeSecs: 4 })
  const [databaseUrl, encryptionKey] = [await freshPostgres(), randomBytes(32).toString('base64')]
  folders = [1, 2, 3].map(() => temporaryFolder())
  servers = []
  for (const folder of folders) servers.push(await start({ folder, databaseUrl, encryptionKey }))
  await call(0, '/v2/auth/providers', acme.clientFor(`${urlOf(0)}/v2/auth/callback/acme`))
}, 300_000)
afterEach(async () => {
  for (const server of servers) await server.stop()
  await acme.stop()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function start(parts: { folder: string; databaseUrl: string; encryptionKey: string }) {
  const env = {
    RUNYARD_DATA_DIR: parts.folder,
    RUNYARD_DATABASE_URL: parts.databaseUrl,
    RUNYARD_ENCRYPTION_KEY: parts.encryptionKey,
    RUNYARD_ADMIN_KEY: KEY,
    RUNYARD_PORT: '0',
    RUNYARD_EXAMPLE: '0',
    RUNYARD_OAUTH_ALLOW: 'loopback',
  }
  return startServeProcess(join(root, 'bin/runyard'), ['up'], { cwd: root, env })
}

function urlOf(server: number): string {
  return servers[server]?.url ?? ''
}

async function call(server: number, path: string, body: unknown) {
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(urlOf(server) + path, request)
  const text = await response.text()
  expect({ path, status: response.status, text }).toMatchObject({ path, status: 200 })
  return JSON.parse(text) as {
    status: string
    url: string
    token: string
    metadata: { expires_at: string }
  }
}

function ask(server: number) {
  const request = { provider: 'acme', scopes: ['openid', 'read'], user_id: 'anna' }
  return call(server, '/v2/auth/authenticate', request)
}

/** Anna's token, once it has run out. */
async function tokenThatRanOut(): Promise<string> {
  await new Person('anna').consent((await ask(0)).url)
  const { token, metadata } = await ask(0)
  await expect.poll(() => Date.now() > Date.parse(metadata.expires_at)).toBe(true)
  acme.lifetimeSecs = 3600
  return token
}

const refreshes = () => acme.grants.filter((grant) => grant === 'refresh_token').length

it('refreshes a token once when a thousand ask, many at once, of all three', async () => {
  const token = await tokenThatRanOut()
  const before = refreshes()
  const answers = new Set<string>()
  let left = 1000
  const keepAsking = async (server: number) => {
    while (left-- > 0) answers.add((await ask(server)).token)
  }
  // All at once would keep a slow machine from giving the provider's answer in the time that there is for it.
  await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => keepAsking(i % 3)))
  expect(answers.size).toBe(1)
  expect(answers.has(token)).toBe(false)
  expect(refreshes() - before).toBe(1)
}, 300_000)

it('has another refresh a token whose leader was killed before it wrote the new one', async () => {
  const token = await tokenThatRanOut()
  const killed = Promise.withResolvers<void>()
  acme.interfere((request, response) => {
    if (request.url !== '/token') return false
    acme.interfere(undefined)
    const end = response.end.bind(response) as (...args: unknown[]) => void
    response.end = ((...args: unknown[]) => {
      // The first to start leads: the others pass requests on to it.
      const { process } = servers[0] ?? {}
      process?.once('exit', () => {
        end(...args)
        killed.resolve()
      })
      process?.kill('SIGKILL')
      return response
    }) as typeof response.end
    return false
  })
  const asking = ask(2).catch(() => 'failed')
  await killed.promise
  expect(await asking).toBe('failed')
  const before = refreshes()
  const again = () => ask(1).catch(() => undefined)
  await expect.poll(again, { timeout: 90_000 }).toMatchObject({ status: 'completed' })
  const [one, other] = await Promise.all([ask(1), ask(2)])
  expect(one.token).not.toBe(token)
  expect(other.token).toBe(one.token)
  expect(refreshes() - before).toBe(1)
}, 300_000)

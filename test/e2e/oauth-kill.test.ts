/** kill -9 between the provider's answer and our write: what can be got again is got again. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startOAuthProvider, type TestOAuthProvider } from '../support/oauth/oauth-provider.ts'
import { Person } from '../support/oauth/person.ts'
import { freePort } from '../support/processes/free-port.ts'
import { type ServeProcess, startServeProcess } from '../support/processes/serve-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = resolve(import.meta.dirname, '../..')

let acme: TestOAuthProvider
let runyard: ServeProcess
let folder: string
let port: number
beforeEach(async () => {
  folder = temporaryFolder()
  port = await freePort()
  acme = await startOAuthProvider({ isRotating: false, lifetimeSecs: 8 })
  await start()
  const request = acme.clientFor(`${runyard.url}/v2/auth/callback/acme`)
  expect((await call('/v2/auth/providers', request)).status).toBe(200)
})
afterEach(async () => {
  await runyard.stop()
  await acme.stop()
})

async function start(): Promise<void> {
  const env = {
    RUNYARD_DATA_DIR: folder,
    RUNYARD_PORT: String(port),
    RUNYARD_EXAMPLE: '0',
    RUNYARD_OAUTH_ALLOW: 'loopback',
  }
  runyard = await startServeProcess(join(root, 'bin/runyard'), ['up'], { cwd: root, env })
}

async function call(path: string, body: unknown): Promise<Response> {
  const key = readFileSync(join(folder, 'admin.key'), 'utf8').trim()
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  return fetch(runyard.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function ask() {
  const request = { provider: 'acme', scopes: ['openid', 'read'], user_id: 'anna' }
  return (await (await call('/v2/auth/authenticate', request)).json()) as {
    status: string
    url: string
    token: string
  }
}

/** The provider grants what it is asked for next, and Runyard is dead before it hears of it. */
function killAtTheNextGrant(): Promise<unknown> {
  const killed = Promise.withResolvers<unknown>()
  acme.interfere((request, response) => {
    if (request.url !== '/token') return false
    acme.interfere(undefined)
    const end = response.end.bind(response) as (...args: unknown[]) => void
    response.end = ((...args: unknown[]) => {
      runyard.process.once('exit', () => {
        end(...args)
        killed.resolve(undefined)
      })
      runyard.process.kill('SIGKILL')
      return response
    }) as typeof response.end
    return false
  })
  return killed.promise
}

it('a consent whose code was used begins anew, and gives the token', async () => {
  const { url } = await ask()
  const killed = killAtTheNextGrant()
  await expect(new Person('anna').consent(url)).rejects.toThrow('fetch failed')
  await killed
  await start()
  const again = await ask()
  expect(again.status).toBe('pending')
  await new Person('anna').consent(again.url)
  expect(await ask()).toMatchObject({ status: 'completed' })
}, 300_000)

it('a token whose refresh was not written is refreshed again', async () => {
  await new Person('anna').consent((await ask()).url)
  const { token } = await ask()
  const killed = killAtTheNextGrant()
  // Asked until it is due.
  await expect.poll(() => ask().catch(() => 'killed')).toBe('killed')
  await killed
  await start()
  const again = await ask()
  expect(again.status).toBe('completed')
  expect(again.token).not.toBe(token)
}, 300_000)

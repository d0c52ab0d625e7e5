/** The pages that people see where something is wrong, and what programs and the log are told of it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Log, silentLog } from '../../../../src/core/log.ts'
import {
  type ControlPlaneWorld,
  startControlPlane,
} from '../../../support/control-plane/control-plane.ts'
import {
  startOAuthProvider,
  type TestOAuthProvider,
} from '../../../support/oauth/oauth-provider.ts'
import { addProvider, ask } from '../../../support/oauth/oauth-world.ts'

let acme: TestOAuthProvider
let world: ControlPlaneWorld
let lines: unknown[][]
beforeEach(async () => {
  acme = await startOAuthProvider()
  lines = []
  const log: Log = { ...silentLog, error: (...line: unknown[]) => void lines.push(line) }
  world = await startControlPlane({ isReconciling: false, log })
})
afterEach(async () => {
  await world.close()
  await acme.stop()
})

const open = async (path: string, accept: string) => {
  const response = await fetch(world.url + path, { headers: { accept } })
  const type = response.headers.get('content-type') ?? ''
  return { status: response.status, type, text: await response.text() }
}

const LONG = 'x'.repeat(9_000)

describe('an address that is not in order', () => {
  it.each([
    `/v2/auth/callback/acme?state=${'s'.repeat(600)}&code=c`,
    `/v2/auth/callback/acme?state=s&code=${LONG}`,
    `/v2/auth/callback/${'p'.repeat(300)}?state=s&code=c`,
    '/v2/auth/setup/acme?installation_id=seven',
    `/v2/auth/start/${'a'.repeat(300)}`,
  ])('is told to a person by a page, to a program by JSON (%#)', async (path) => {
    const page = await open(path, 'text/html,*/*')
    expect(page).toMatchObject({ status: 422, type: expect.stringContaining('text/html') })
    expect(page.text).toContain('<h1>This address is not complete</h1>')
    expect(page.text).not.toContain('Try again')
    const told = await open(path, 'application/json')
    expect(told.status).toBe(422)
    expect(JSON.parse(told.text).detail[0]).toHaveProperty('loc')
  })
})

describe('an error of the server', () => {
  it.each(['text/html', 'application/json'])('shows no link to the log (%s)', async (accept) => {
    await addProvider(world, acme)
    const { auth_id } = await ask(world)
    world.store.workspaces.get = () => Promise.reject(new Error('The disk is broken.'))
    const { status, text } = await open(`/v2/auth/start/${auth_id}`, accept)
    expect(status).toBe(500)
    expect(text).not.toContain('The disk')
    if (accept === 'text/html') expect(text).toContain('Reload this page')
    const logged = JSON.stringify(lines, (_, value) =>
      value instanceof Error ? `${value.message} ${value.cause}` : value,
    )
    expect(logged).toContain('The disk is broken.')
    expect(logged).not.toContain(auth_id)
  })
})

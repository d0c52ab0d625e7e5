/** The dashboard beside the API: which addresses are whose. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { silentLog } from '../../../src/core/log.ts'
import { openDashboard } from '../../../src/main/dashboard.ts'
import { Started } from '../../../src/process/started.ts'
import {
  type ControlPlaneWorld,
  startControlPlane,
} from '../../support/control-plane/control-plane.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const html = { accept: 'text/html' }
const folder = temporaryFolder()
let world: ControlPlaneWorld
beforeAll(async () => {
  writeFileSync(join(folder, 'index.html'), '<title>Runyard</title>')
  const parts = { started: new Started(silentLog), log: silentLog, home: { folder } }
  const { pages } = openDashboard({ isDashboardWanted: true }, parts)
  world = await startControlPlane({ isReconciling: false, ...(pages && { pages }) })
})
afterAll(async () => {
  await world.close()
})

const ask = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(world.url + path, { headers, redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

it('answers the page to everybody, and its refusals to nobody but programs', async () => {
  for (const path of ['/', '/sign-in', '/deployments/1/revisions/2']) {
    const { status, text } = await ask(path, html)
    expect([path, status, text]).toEqual([path, 200, '<title>Runyard</title>'])
  }
  expect((await ask('/')).status).toBe(200)
  expect((await ask('/deployments')).text).toBe('{"detail":"No route GET /deployments."}')
  const head = await fetch(`${world.url}/`, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
})

it('leaves the API its addresses and its refusals', async () => {
  expect((await ask('/v2/nonsense', html)).status).toBe(401)
  expect((await ask('/api-host/v2/deployments', html)).status).toBe(401)
  expect((await ask('/api-host/nonsense', html)).status).toBe(404)
  expect((await ask('/ok', html)).text).toBe('{"ok":true}')
  expect((await ask('/docs', html)).text).toContain('swagger')
  expect((await ask('/assets/nothing.js', html)).text).toContain('No route')
  const posted = await fetch(`${world.url}/deployments`, { method: 'POST', headers: html })
  expect(posted.status).toBe(404)
})

it('leads from the address that the official CLI prints', async () => {
  const { status, headers } = await ask('/o/default/host/deployments/5b0c', html)
  expect([status, headers.get('location')]).toEqual([302, '/deployments/5b0c'])
})

it('is not there when nobody wants it', () => {
  const parts = { started: new Started(silentLog), log: silentLog }
  expect(openDashboard({ isDashboardWanted: false }, parts).pages).toBeUndefined()
})

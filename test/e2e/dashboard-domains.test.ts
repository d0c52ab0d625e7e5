/** Domains and the callers of a deployment in its settings, in a real browser against a real Runyard. */
import { once } from 'node:events'
import { request } from 'node:http'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { NO_BROWSER } from '../support/dashboard/browser.ts'
import { startDashboard } from '../support/dashboard/dashboard.ts'
import type { DashboardVisitor } from '../support/dashboard/dashboard-visitor.ts'
import { DOMAIN_CERTIFICATE } from '../support/gateway/certificate.ts'
import { forAllTests } from '../support/running.ts'

const HOST = 'agents.example.com'
const skipped = NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''

describe.skipIf(NO_BROWSER)(`the settings of a deployment${skipped}`, () => {
  let settings: string
  let visitor: DashboardVisitor
  const dashboard = forAllTests(startDashboard)
  beforeAll(async () => {
    await dashboard.deploy('echo', 'test/fixtures/projects/echo')
    const { id = '' } = (await dashboard.client.findDeployment('echo')) ?? {}
    settings = `/deployments/${id}/settings`
  })
  beforeEach(async () => {
    visitor = await dashboard.visitor()
  })
  afterEach(async () => {
    const { problems } = visitor
    await visitor.leave()
    expect(problems).toEqual([])
  })

  /** Without a key, at the host of its own; which revision has answered. */
  const askAt = async (host: string) => {
    const { port } = new URL(dashboard.runyard.url)
    const [answer] = await once(
      request({ port, path: '/info', headers: { host } }).end(),
      'response',
    )
    return answer.headers['x-runyard-revision']
  }

  test('add a domain that is answered at once, certify it and remove it', async () => {
    const page = await visitor.open(settings)
    await page.getByText('No domains').waitFor()
    await page.getByRole('button', { name: 'Add a domain' }).click()
    visitor.expect(/\/domains: 400|400 \(Bad Request\)/)
    await page.getByRole('textbox', { name: 'Host name' }).fill('127.0.0.1')
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('button', { name: 'Add the domain' }).click()
    await page.getByText('is an address. A domain is a name.').first().waitFor()
    await page.getByRole('textbox', { name: 'Host name' }).fill(` ${HOST}`)
    await page.getByRole('button', { name: 'Add the domain' }).click()
    const row = page.getByRole('listitem', { name: HOST })
    await row.getByText('No certificate of its own').waitFor()
    expect(await askAt(HOST)).toBeDefined()

    await row.getByRole('button', { name: `Actions for ${HOST}` }).click()
    await page.getByRole('menuitem', { name: 'Set a certificate' }).click()
    const { certificate, private_key } = DOMAIN_CERTIFICATE
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Certificate: From a file' }).click()
    const file = { name: 'fullchain.pem', mimeType: 'application/x-pem-file' }
    await (await chooser).setFiles({ ...file, buffer: Buffer.from(certificate) })
    await page.getByRole('textbox', { name: 'Private key' }).fill(private_key)
    expect(await visitor.faults()).toEqual([])
    await visitor.pictures('domain-certificate')
    await page.getByRole('button', { name: 'Set the certificate' }).click()
    await row.getByText('Certificate expires in').waitFor()
    expect(await page.content()).not.toContain('PRIVATE KEY')
    await visitor.pictures('domains')
    expect(await visitor.faults()).toEqual([])

    await row.getByRole('button', { name: `Actions for ${HOST}` }).click()
    await page.getByRole('menuitem', { name: 'Remove the domain' }).click()
    await page.getByRole('button', { name: 'Remove the domain' }).click()
    await page.getByText('No domains').waitFor()
    expect(await askAt(HOST)).toBeUndefined()
  })

  test('make it public after a warning, and private again', async () => {
    const search = async () => {
      const headers = { 'content-type': 'application/json' }
      const url = `${dashboard.runyard.url}/agents/echo/threads/search`
      return (await fetch(url, { method: 'POST', headers, body: '{}' })).status
    }
    const page = await visitor.open(settings)
    const toggle = page.getByRole('switch', { name: 'Public: callers need no key' })
    expect(await search()).toBe(401)
    await toggle.press('Space')
    await page.getByText('Every client that reaches its address can then').waitFor()
    expect(await visitor.faults()).toEqual([])
    await visitor.pictures('public-warning')
    await page.getByRole('button', { name: 'Make public' }).click()
    await page.getByText('share its threads and its store').waitFor()
    await page.getByText('Public', { exact: true }).waitFor()
    expect(await search()).toBe(200)
    await visitor.pictures('public')
    expect(await visitor.faults()).toEqual([])
    await toggle.press('Space')
    await page.getByText('Callers need a key of this workspace').waitFor()
    expect(await search()).toBe(401)
  })

  test('offers nobody who only looks to change any of it', async () => {
    const key = (
      await dashboard.runyard.call('POST', '/v2/api-keys', { name: 'v', role: 'viewer' })
    ).body as { key: string }
    const looker = await dashboard.visitor(key.key)
    const page = await looker.open(settings)
    await page.getByText('No domains').waitFor()
    expect(await page.getByRole('button', { name: 'Add a domain' }).count()).toBe(0)
    expect(await page.getByRole('switch', { name: 'Public' }).isDisabled()).toBe(true)
    expect(looker.problems).toEqual([])
    await looker.leave()
  })
})

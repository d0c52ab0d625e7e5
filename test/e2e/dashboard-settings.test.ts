/** The dashboard's settings, in a real browser against a real Runyard, compared with what its API tells. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dataOf } from '../../client/src/client.ts'
import { createControlPlaneClient } from '../../src/listener/client.ts'
import { NO_BROWSER } from '../support/dashboard/browser.ts'
import { startDashboard } from '../support/dashboard/dashboard.ts'
import type { DashboardVisitor } from '../support/dashboard/dashboard-visitor.ts'
import { startOAuthProvider } from '../support/oauth/oauth-provider.ts'
import { forAllTests } from '../support/running.ts'

const skipped = NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''

describe.skipIf(NO_BROWSER)(`the settings${skipped}`, () => {
  let visitor: DashboardVisitor
  const issuer = forAllTests(startOAuthProvider)
  const dashboard = forAllTests(() =>
    startDashboard({
      env: {
        RUNYARD_OIDC_ISSUER: issuer.url,
        RUNYARD_OIDC_AUDIENCE: 'https://runyard.test',
        RUNYARD_OIDC_ROLE_CLAIM: 'email',
        RUNYARD_OIDC_ROLES: 'anna@acme.test=developer',
        RUNYARD_OIDC_CLIENT_ID: 'client-1',
        RUNYARD_OIDC_SCOPES: 'openid',
      },
    }),
  )
  beforeAll(async () => {
    const callback = `${dashboard.url}/v2/session/oidc/callback`
    issuer.clientFor(callback, { token_endpoint_auth_method: 'none' })
  })
  beforeEach(async () => {
    visitor = await dashboard.visitor()
  })
  afterEach(async () => {
    const { problems } = visitor
    await visitor.leave()
    expect(problems).toEqual([])
  })

  test('make a key that is shown once and works, and revoke it', async () => {
    const page = await visitor.open('/settings/keys')
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('the-nightly-job')
    await page.getByRole('button', { name: /^Role|agent/ }).click()
    await page.getByRole('option', { name: 'viewer' }).click()
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('button', { name: 'Create the key' }).click()
    const key = await page.getByRole('region', { name: 'The key' }).textContent()
    expect(key).toMatch(/^ry_\S{43}$/)
    const headers = { 'x-api-key': key ?? '' }
    const me = async () => (await fetch(`${dashboard.runyard.url}/v2/me`, { headers })).json()
    expect(await me()).toMatchObject({ name: 'the-nightly-job', role: 'viewer' })
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('region', { name: 'The key' }).waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(key)
    const row = page.getByRole('row', { name: 'the-nightly-job' })
    await row.getByText('Good').waitFor()
    await visitor.pictures('settings-keys')
    expect(await visitor.faults()).toEqual([])
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Revoke the key' }).click()
    await row.getByText('Revoked').waitFor()
    expect(await me()).toMatchObject({ detail: expect.stringContaining('revoked') })
  })

  test('make, rename and delete a workspace', async () => {
    const { api } = dashboard.client
    const names = async () =>
      (await dataOf(api.GET('/v2/workspaces'))).resources.map(({ name }) => name)
    const page = await visitor.open('/settings/workspaces')
    await page.getByRole('button', { name: 'New workspace' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Team A')
    await page.getByRole('button', { name: 'Create the workspace' }).click()
    await page.getByRole('button', { name: 'Actions for Team A' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Team B')
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByRole('row', { name: 'Team B' }).waitFor()
    expect(await names()).toContain('Team B')
    await visitor.pictures('settings-workspaces')
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('button', { name: 'Actions for Team B' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const confirm = page.getByRole('button', { name: 'Delete the workspace' })
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByLabel('Type Team B to go on').fill('Team B')
    expect(await visitor.faults()).toEqual([])
    await confirm.click()
    // It stands there until the server has answered, and hides the rows for as long.
    await confirm.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: 'Team B' }).waitFor({ state: 'detached' })
    expect(await names()).not.toContain('Team B')
  })

  test('make a listener with its command, tell when it was heard from, and delete it', async () => {
    const { api } = dashboard.client
    const listeners = async () => (await dataOf(api.GET('/v2/listeners'))).resources
    const page = await visitor.open('/settings/listeners')
    await page.getByText('There are no listeners.').waitFor()
    await page.getByRole('button', { name: 'New listener' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('east')
    await page.getByRole('textbox', { name: 'Namespaces' }).fill('agents, tests')
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('button', { name: 'Create the listener' }).click()
    const command = page.getByRole('region', { name: 'To start the listener' })
    const [key = 'no key'] = (await command.textContent())?.match(/ryl_[\w-]{43}/) ?? []
    expect(key).not.toBe('no key')
    expect(await command.textContent()).toContain(`runyard listener --url ${dashboard.url}`)
    await visitor.pictures('settings-listener-made')
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await command.waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(key)
    const row = page.getByRole('row', { name: 'east' })
    await row.getByText('Never started').waitFor()
    expect(await listeners()).toMatchObject([
      { compute_id: 'east', compute_config: { k8s_namespaces: ['agents', 'tests'] } },
    ])
    await hearFrom(dashboard.url, key)
    await page.reload()
    await row.getByText('Listens').waitFor()
    await row.getByText('https://agents.example.com').waitFor()
    await visitor.pictures('settings-listeners')
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('button', { name: 'Actions for east' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByLabel('Type east to go on').fill('east')
    await page.getByRole('button', { name: 'Delete the listener' }).click()
    await page.getByText('There are no listeners.').waitFor()
    expect(await listeners()).toEqual([])
  })

  test('tell who did what, narrow it by the address, and hand it out', async () => {
    await dashboard.client.createDeployment({
      name: 'audited',
      source: 'internal_source',
      source_config: {},
      source_revision_config: {},
      secrets: [],
    })
    const page = await visitor.open('/settings/audit?text=audited')
    const row = page.getByRole('row', { name: 'created the deployment audited' })
    await row.waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    await visitor.pictures('settings-audit')
    expect(await visitor.faults()).toEqual([])
    await visitor.narrow()
    await page.getByRole('rowheader', { name: 'admin created the deployment audited' }).waitFor()
    await visitor.wide()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByText('What was sent').waitFor()
    await visitor.pictures('settings-audit-entry')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Export' }).click()
    const downloads = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'As CSV' }).click()
    const file = await (await downloads).path()
    expect(await readFile(file, 'utf8')).toMatch(/deployment\.create.*audited/)
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('nothing-has-this-name')
    await page.getByText('No entry fits.').waitFor()
    await expect
      .poll(() => new URL(page.url()).searchParams.get('text'))
      .toBe('nothing-has-this-name')
  })

  test('change the encryption key', async () => {
    const page = await visitor.open('/settings/encryption')
    await page.getByRole('button', { name: 'Change the encryption key' }).click()
    await page.getByRole('button', { name: 'Change it' }).click()
    await page.getByText(/The key is changed/).waitFor()
    await visitor.pictures('settings-encryption')
    expect(await visitor.faults()).toEqual([])
  })

  test('list browsers and people', async () => {
    const page = await visitor.open('/settings/sessions')
    await page.getByRole('row', { name: /Chrome on Linux This one/ }).waitFor()
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('link', { name: 'People' }).click()
    await page.getByRole('row', { name: /admin \(you\)/ }).waitFor()
    await visitor.pictures('settings-people')
    expect(await visitor.faults()).toEqual([])
  })

  test('are led to by signing in at the identity provider', async () => {
    await visitor.leave()
    visitor = await dashboard.stranger()
    // The provider's own page has a font from elsewhere.
    visitor.expect(/v2\/session: 401$|fonts\.googleapis/)
    const page = await visitor.open('/settings/sessions')
    await page.getByRole('button', { name: `Go on with ${new URL(issuer.url).host}` }).click()
    await page.getByPlaceholder('Enter any login').fill('anna')
    await page.getByPlaceholder('and password').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('row', { name: /This one/ }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/settings/sessions')
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.getByRole('button', { name: /^Signed in as anna/ }).waitFor()
  })
})

/** What a listener that runs nothing says first. */
async function hearFrom(url: string, key: string): Promise<void> {
  const listener = createControlPlaneClient({ url, key })
  const nothing = { revisions: [], names: [], logs: [] }
  const about = { version: null, url: 'https://agents.example.com', runyard: '1.2.3' }
  const report = { session: randomUUID(), sequence: 1, ...about, ...nothing }
  await listener.exchange(report, AbortSignal.timeout(60_000))
}

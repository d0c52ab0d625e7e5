/** What stands around every page of the dashboard, in a real browser against a real Runyard. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dataOf } from '../../client/src/client.ts'
import { DEFAULT_WORKSPACE_ID } from '../../src/core/people/api-key.ts'
import { NO_BROWSER } from '../support/dashboard/browser.ts'
import { startDashboard, startStudio } from '../support/dashboard/dashboard.ts'
import type { DashboardVisitor } from '../support/dashboard/dashboard-visitor.ts'
import { AUDIENCE, startOidcIssuer } from '../support/oauth/oidc-issuer.ts'
import { forAllTests } from '../support/running.ts'

const skipped = NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''

describe.skipIf(NO_BROWSER)(`the dashboard${skipped}`, () => {
  let visitor: DashboardVisitor
  /** Of the deployment. */
  let id: string
  const issuer = forAllTests(startOidcIssuer)
  const dashboard = forAllTests(() =>
    startDashboard({
      env: {
        RUNYARD_OIDC_ISSUER: issuer.url,
        RUNYARD_OIDC_AUDIENCE: AUDIENCE,
        RUNYARD_OIDC_WORKSPACE_CLAIM: 'workspaces',
      },
    }),
  )
  beforeAll(async () => {
    const created = await dashboard.client.createDeployment({
      name: 'support-agent',
      source: 'internal_source',
      source_config: {},
      source_revision_config: {},
      secrets: [],
    })
    id = created.id
  })
  beforeEach(async () => {
    visitor = await dashboard.visitor()
  })
  afterEach(async () => {
    const { problems } = visitor
    await visitor.leave()
    expect(problems).toEqual([])
  })

  const heading = (name: string) =>
    visitor.page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

  test('asks before a link of somebody else replaces a session', async () => {
    const body = { name: 'eve', role: 'viewer' as const }
    const { key } = await dataOf(dashboard.client.api.POST('/v2/api-keys', { body }))
    const link = async () => {
      const asked = { method: 'POST', headers: { 'x-api-key': key } }
      const response = await fetch(`${dashboard.url}/v2/session/link`, asked)
      return new URL(((await response.json()) as { url: string }).url)
    }
    visitor.expect(/\/v2\/session: 409$/)
    const { pathname, hash } = await link()
    const page = await visitor.open(pathname + hash)
    await page
      .getByText(/signed in as admin .* The link signs it in as eve \(role viewer/)
      .waitFor()
    expect(page.url()).not.toContain('code')
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('button', { name: 'Sign in with the link' }).click()
    await heading('Home')
    await page.getByRole('button', { name: /eve/ }).waitFor()
  })

  test('leads from the rail to a place', async () => {
    const page = await visitor.open('/')
    await page.getByRole('link', { name: 'Deployments', exact: true }).click()
    await heading('Deployments')
    await expect.poll(() => page.title()).toBe('Deployments · Runyard')
    await visitor.pictures('shell')
    expect(await visitor.faults()).toEqual([])
    await visitor.narrow()
    await page.getByRole('button', { name: 'Places' }).click()
    const drawer = page.getByRole('dialog', { name: 'Places' })
    await drawer.waitFor()
    expect(await visitor.faults()).toEqual([])
    await visitor.narrow()
    await drawer.getByRole('link', { name: 'Operations' }).click()
    await heading('Operations')
    await drawer.waitFor({ state: 'detached' })
  })

  test('forgets a workspace that one may not enter', async () => {
    visitor.expect(/: 403$/)
    const page = await visitor.open('/')
    await heading('Home')
    const key = 'runyard.workspace'
    await page.evaluate(`localStorage.setItem('${key}', '00000000-0000-4000-8000-000000000000')`)
    await visitor.open('/deployments')
    await page.getByText('support-agent').first().waitFor()
    expect(await page.evaluate(`localStorage.getItem('${key}')`)).toBeNull()
    await heading('Deployments')
  })

  test('tells by names where one is', async () => {
    const page = await visitor.open(`/deployments/${id}/settings`)
    const steps = page.getByRole('navigation', { name: 'Breadcrumb' })
    await steps.getByRole('link', { name: 'support-agent' }).waitFor()
    await expect
      .poll(() => steps.getByRole('listitem').allTextContents())
      .toEqual(['Default', 'Deployments', 'support-agent', 'Settings'])
    await steps.getByRole('link', { name: 'Deployments' }).click()
    await heading('Deployments')
  })

  test('finds places, deployments and actions by typing', async () => {
    const page = await visitor.open('/')
    await heading('Home')
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search or run a command' })
    await palette.getByRole('menuitem', { name: 'support-agent' }).waitFor()
    await visitor.pictures('palette')
    expect(await visitor.faults()).toEqual([])
    await page.keyboard.type('dark')
    await expect.poll(() => palette.getByRole('menuitem').count()).toBe(1)
    await page.keyboard.press('Enter')
    await palette.waitFor({ state: 'detached' })
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.keyboard.press('Control+k')
    await palette.getByRole('menuitem', { name: 'support-agent' }).waitFor()
    await page.keyboard.type('agent supp')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/deployments\/[\da-f-]{36}$/)
    await page.reload()
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
  })

  test('is used by keys', async () => {
    const page = await visitor.open('/')
    await heading('Home')
    // The second soon after the first, whatever else the machine does.
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('o')])
    await heading('Operations')
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keys' })
    await help.getByText('Next and previous row of a list').waitFor()
    await visitor.pictures('help')
    expect(await visitor.faults()).toEqual([])
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
  })

  test('says at once that the server is gone, and finds it again', async () => {
    const page = await visitor.open('/deployments')
    await heading('Deployments')
    visitor.expect(/ERR_INTERNET_DISCONNECTED/)
    await page.context().setOffline(true)
    await page.getByText('Runyard does not answer.').waitFor()
    await visitor.pictures('offline')
    await page.context().setOffline(false)
    await page.getByText('Runyard does not answer.').waitFor({ state: 'detached' })
  })

  test('comes by itself when its scripts could not be loaded at first', async () => {
    visitor.expect(/ERR_CONNECTION_RESET/)
    let left = 2
    await visitor.page.route('**/assets/index-*.js', (route) =>
      left-- > 0 ? route.abort('connectionreset') : route.continue(),
    )
    await visitor.open('/deployments')
    await heading('Deployments')
    expect(left).toBeLessThan(0)

    await visitor.page.evaluate('sessionStorage.clear()')
    left = 10
    await visitor.open('/deployments')
    await visitor.page.getByText('The dashboard could not be loaded.').waitFor()
    expect(left).toBe(6)
  })

  test('says so where nothing is', async () => {
    const page = await visitor.open('/nowhere')
    await page.getByText('No page has this address.').waitFor()
    await visitor.pictures('nowhere')
    expect(await visitor.faults()).toEqual([])
  })

  describe('to whom has not signed in', () => {
    beforeEach(async () => {
      await visitor.leave()
      visitor = await dashboard.stranger()
    })

    test('asks for a key, and leads back to where they wanted to go', async () => {
      visitor.expect(/: 401$/)
      const page = await visitor.open('/settings/audit?text=support-agent')
      await page.getByLabel('API key').fill('ry_wrong')
      await page.keyboard.press('Enter')
      await page.locator('input[name=api_key][aria-invalid=true]').waitFor()
      await visitor.pictures('sign-in')
      expect(await visitor.faults()).toEqual([])
      await page.getByLabel('API key').fill(dashboard.runyard.adminKey)
      await page.keyboard.press('Enter')
      await page.getByRole('row', { name: 'created the deployment support-agent' }).waitFor()
      expect(new URL(page.url()).search).toBe('?text=support-agent')
      expect(await page.evaluate('document.cookie')).toBe('')
    })

    test('opens a link once, and tells of one that was used', async () => {
      const link = await dashboard.link()
      await visitor.page.goto(link)
      await heading('Home')
      expect(visitor.page.url()).not.toContain('code')
      await visitor.leave()
      visitor = await dashboard.stranger()
      visitor.expect(/: 401$/)
      await visitor.page.goto(link)
      await visitor.page.getByText('This link does not work.').waitFor()
      expect(visitor.page.url()).not.toContain('code')
      await visitor.pictures('sign-in-used')
      expect(await visitor.faults()).toEqual([])
    })
  })

  test('signs out, here and wherever else the page is open', async () => {
    // What a page has just asked for may be answered after its session's end.
    visitor.expect(/: 401$/)
    const page = await visitor.open('/')
    const other = await page.context().newPage()
    await other.goto(`${dashboard.url}/settings/sessions`)
    await other.getByText('This one').waitFor()
    await page.getByRole('button', { name: 'Signed in as admin' }).click()
    await visitor.pictures('me')
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()
    // Unless it has noticed by itself.
    const asked = other.getByLabel('API key')
    await other.getByRole('link', { name: 'People' }).or(asked).first().click()
    await asked.waitFor()
  })

  /** Somebody who may enter a workspace of this name, their first, and the default one. */
  async function personOf(workspace: string): Promise<string> {
    const body = { name: workspace }
    const { data } = await dashboard.client.api.POST('/v2/workspaces', { body })
    const workspaces = [data?.id, DEFAULT_WORKSPACE_ID]
    return issuer.token('anna', { roles: ['developer'], workspaces })
  }

  test('says that the session has ended, and goes on where one was', async () => {
    const { api } = dashboard.client
    const token = await personOf('Blue')
    await visitor.leave()
    visitor = await dashboard.visitor(token)
    const page = await visitor.open('/')
    await page.getByRole('button', { name: 'Workspace Blue' }).click()
    await page.getByRole('menuitem', { name: 'Default' }).click()
    await page.getByText('support-agent').first().waitFor()
    await visitor.open(`/deployments/${id}/settings`)
    const name = page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('support-agent')
    await name.waitFor()

    visitor.expect(/: 401$/)
    const { data } = await api.GET('/v2/sessions', { params: { query: { all: 'true' } } })
    const theirs = data?.resources.find((one) => one.name === 'anna')?.id ?? ''
    await api.DELETE('/v2/sessions/{session_id}', { params: { path: { session_id: theirs } } })
    await page.getByText('Your session has ended.', { exact: true }).waitFor()
    await visitor.pictures('sign-in-ended')
    expect(await visitor.faults()).toEqual([])
    await page.getByLabel('API key').fill(token)
    await page.keyboard.press('Enter')
    await name.waitFor()
    expect(new URL(page.url()).pathname).toBe(`/deployments/${id}/settings`)
  })

  test('finds the deployment of a link in another workspace of theirs', async () => {
    const token = await personOf('Green')
    await visitor.leave()
    visitor = await dashboard.visitor(token)
    visitor.expect(/\/v2\/deployments\/[\da-f-]{36}: 404$/)
    const page = await visitor.open(`/deployments/${id}/settings?text=kept`)
    await page.getByText('It is in the workspace Default.').waitFor()
    await visitor.pictures('elsewhere')
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('button', { name: 'Go there' }).click()
    await page.getByRole('button', { name: 'Workspace Default' }).waitFor()
    const steps = page.getByRole('navigation', { name: 'Breadcrumb' })
    await steps.getByRole('link', { name: 'support-agent' }).waitFor()
    expect(page.url()).toBe(`${dashboard.url}/deployments/${id}/settings?text=kept`)
    await visitor.open(`/deployments/${id.replace(/^.{8}/, '00000000')}`)
    await page.getByText('Default has no deployment with this address.').waitFor()
  })

  test('offers what the role may do', async () => {
    const { api } = dashboard.client
    const body = { name: 'auditor', role: 'viewer' } as const
    const { data } = await api.POST('/v2/api-keys', { body })
    await visitor.leave()
    visitor = await dashboard.visitor(data?.key)
    const page = await visitor.open('/settings')
    await heading('My sessions')
    const views = page.getByRole('navigation', { name: 'Views' })
    await expect
      .poll(() => views.getByRole('link').allTextContents())
      .toEqual(['My sessions', 'Listeners'])
    await visitor.open('/settings/keys')
    await page.getByText('This is for admins of this workspace.').waitFor()
    expect(await visitor.faults()).toEqual([])
  })
})

describe.skipIf(NO_BROWSER)(`the Studio of one agent server${skipped}`, () => {
  const studio = forAllTests(() =>
    startStudio('crons', { RUNYARD_API_KEYS: 'a-key-of-the-studio' }),
  )

  test('asks for a key of that server, and has its places', async () => {
    const visitor = await studio.stranger()
    visitor.expect(/: 401$/)
    const page = await visitor.open('/threads')
    await page.getByLabel('API key').fill('a-key-of-the-studio')
    expect(await page.getByText('RUNYARD_API_KEYS').count()).toBe(1)
    await page.keyboard.press('Enter')
    const places = page.getByRole('navigation', { name: 'Places' })
    await places.getByRole('link', { name: 'Threads' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/studio/threads')
    const steps = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('listitem')
    await expect.poll(() => steps.allTextContents()).toEqual(['Threads'])
    await expect
      .poll(() => places.getByRole('link').allTextContents())
      .toEqual(['Runyard', 'Studio', 'Threads', 'Runs', 'Crons', 'Store'])
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('h')])
    await page.waitForURL(/\/studio\/$/)
    await visitor.settled()
    expect(await visitor.faults()).toEqual([])
    expect(visitor.problems).toEqual([])
    await visitor.leave()
  })
})

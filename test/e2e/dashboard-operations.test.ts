/** Operations, crons, webhooks, store and connections in a real browser, compared with what the APIs tell. */
import { Client, type Cron } from '@langchain/langgraph-sdk'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dataOf } from '../../client/src/client.ts'
import type { CronRun } from '../../src/core/agent/cron.ts'
import { startReceiver, type WebhookReceiver } from '../support/agent/webhook-receiver.ts'
import { NO_BROWSER } from '../support/dashboard/browser.ts'
import { type Dashboard, startDashboard } from '../support/dashboard/dashboard.ts'
import type { DashboardVisitor } from '../support/dashboard/dashboard-visitor.ts'
import { layoutShifts, recordShifts } from '../support/dashboard/layout-shifts.ts'
import { startOAuthProvider, type TestOAuthProvider } from '../support/oauth/oauth-provider.ts'

const skipped = NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''
const RUNS = 4

describe.skipIf(NO_BROWSER)(`the pages of an operator${skipped}`, () => {
  let dashboard: Dashboard
  let visitor: DashboardVisitor
  let receiver: WebhookReceiver
  let tracker: TestOAuthProvider
  let echo: Client
  let memory: Client

  const agent = (name: string) =>
    new Client({
      apiUrl: `${dashboard.runyard.url}/agents/${name}`,
      apiKey: dashboard.runyard.adminKey,
    })

  beforeAll(async () => {
    receiver = await startReceiver()
    tracker = await startOAuthProvider()
    const env = {
      RUNYARD_FIGURES_SECS: '1',
      RUNYARD_WEBHOOK_ALLOW: 'loopback',
      RUNYARD_OAUTH_ALLOW: 'loopback',
      // Of deployments that may sleep.
      RUNYARD_IDLE_SECS: '5',
    }
    dashboard = await startDashboard({ env })
    await dashboard.deploy('echo', 'test/fixtures/projects/echo')
    await dashboard.deploy('memory', 'test/fixtures/projects/memory')
    echo = agent('echo')
    memory = agent('memory')
  })
  afterAll(async () => {
    await dashboard?.stop()
    await receiver?.close()
    await tracker?.stop()
  })
  beforeEach(async () => {
    visitor = await dashboard.visitor()
  })
  afterEach(async () => {
    const { problems } = visitor
    await visitor.leave()
    expect(problems).toEqual([])
  })

  const figures = () => dataOf(dashboard.client.api.GET('/v2/figures'))

  test('tell what deployments have done, over time and side by side', async () => {
    for (let i = 0; i < RUNS; i += 1) {
      await echo.runs.wait(null, 'agent', { input: { messages: [`number ${i}`] } })
    }
    const { thread_id } = await echo.threads.create()
    const failing = await echo.runs.create(thread_id, 'fail', { input: { reason: 'no ink' } })
    await echo.runs.join(thread_id, failing.run_id)
    const ofEcho = async () => (await figures()).deployments.find(({ name }) => name === 'echo')
    await expect
      .poll(async () => (await ofEcho())?.total?.runs)
      .toEqual({ success: RUNS, error: 1 })
    // The last request ends after its run.
    await expect
      .poll(async () => (await ofEcho())?.total?.requests)
      .toBeGreaterThanOrEqual(RUNS + 3)

    const page = await visitor.open('/operations')
    const row = page.getByRole('row', { name: /^echo/ })
    await row.waitFor()
    const cells = await row.getByRole('gridcell').allTextContents()
    const { requests = 0 } = (await ofEcho())?.total ?? {}
    expect(Number(cells[1])).toBeGreaterThanOrEqual(RUNS + 3)
    expect(Number(cells[1])).toBeLessThanOrEqual(requests)
    // Requests, errors, runs, failed.
    expect(cells.slice(2, 5)).toEqual(['–', String(RUNS + 1), '1'])
    const runs = page.getByRole('figure', { name: /^Runs/ })
    expect(await runs.textContent()).toMatch(new RegExp(`Done ?${RUNS}.*Failed ?1`))
    await runs.locator('canvas').first().waitFor()
    const failed = page
      .getByRole('grid', { name: 'Threads that failed last' })
      .getByRole('row', { name: new RegExp(thread_id.slice(0, 8)) })
    expect(await failed.textContent()).toContain('no ink')
    const slowest = page.getByRole('grid', { name: 'Slowest runs' }).getByRole('row')
    expect(await slowest.filter({ hasText: failing.run_id.slice(-4) }).textContent()).toMatch(
      /echo.*fail.*Failed/,
    )
    await page.getByRole('heading', { name: 'Control plane' }).waitFor()
    await visitor.pictures('operations')
    expect(await visitor.faults()).toEqual([])
  })

  test('begin with the last hour of a deployment, which outlives a rollout', async () => {
    const { deployments } = await figures()
    const id = deployments.find(({ name }) => name === 'echo')?.deployment_id ?? ''
    const params = { path: { deployment_id: id } }
    const total = async () =>
      (
        await dataOf(
          dashboard.client.api.GET('/v2/deployments/{deployment_id}/figures', { params }),
        )
      ).total
    const before = await total()
    await dashboard.deploy('echo', 'test/fixtures/projects/echo')
    await echo.runs.wait(null, 'agent', { input: { messages: ['after the rollout'] } })
    await expect
      .poll(async () => (await total())?.runs)
      .toEqual({ ...before?.runs, success: (before?.runs.success ?? 0) + 1 })

    await recordShifts(visitor.page)
    const page = await visitor.open(`/deployments/${id}`)
    await page.getByRole('heading', { name: 'Revision #2' }).waitFor()
    const tile = (name: RegExp) => page.getByRole('tab', { name })
    const ended = RUNS + 2
    await tile(new RegExp(`^Runs last hour ?${ended} ?1 failed, 17 %`)).waitFor()
    expect(await tile(/^Requests last hour/).textContent()).toMatch(/no errors/)
    await tile(/^Memory now ?\d+ MB/).click()
    await page.getByRole('figure', { name: /^Memory last hour/ }).waitFor()
    await expect.poll(() => page.url()).toContain('chart=memory')
    const groups = page.getByRole('grid', { name: 'Failed runs by error' }).getByRole('row')
    expect(await groups.nth(1).textContent()).toMatch(/^1.*no ink/)
    expect((await layoutShifts(page)).score).toBeLessThan(0.05)
    await visitor.pictures('deployments-last-hour')
    expect(await visitor.faults()).toEqual([])
    await groups.nth(1).click()
    await page.waitForURL(/\/threads\/.*\/runs\//)
  })

  test('stand in the address: the deployment and the time', async () => {
    const { deployments } = await figures()
    const id = deployments.find(({ name }) => name === 'memory')?.deployment_id
    const page = await visitor.open(`/operations?range=6h&deployment=${id}`)
    await page.getByRole('radio', { name: '6 h', checked: true }).waitFor()
    await page.getByRole('button', { name: /memory/ }).waitFor()
    const runs = page.getByRole('figure', { name: /^Runs/ })
    await expect.poll(() => runs.textContent()).toMatch(/Done ?(0|–)/)
    await page.getByRole('radio', { name: '24 h' }).click()
    await expect.poll(() => page.url()).toContain('range=24h')
    await page.goBack()
    await page.getByRole('radio', { name: '6 h', checked: true }).waitFor()

    await visitor.open('/deployments?state=serving&sort=name')
    const names = page.getByRole('grid', { name: 'Deployments' }).getByRole('rowheader')
    await expect.poll(() => names.allTextContents()).toEqual(['echo', 'memory'])
    await page.getByRole('button', { name: 'Name' }).click()
    await expect.poll(() => names.allTextContents()).toEqual(['memory', 'echo'])
    await page.getByRole('button', { name: 'Runs' }).click()
    await page.getByRole('button', { name: 'Runs' }).click()
    await expect.poll(() => names.allTextContents()).toEqual(['echo', 'memory'])
    await expect.poll(() => page.url()).toContain('sort=-runs')
    await page.getByRole('button', { name: /^Serving/ }).click()
    await page.getByRole('option', { name: 'Asleep' }).click()
    await page.getByText('No deployment is in this state.').waitFor()
  })

  test('make a cron, tell when it runs, run it, pause it and delete it', async () => {
    const crons = () => echo.crons.search() as Promise<(Cron & { last_run: CronRun | null })[]>
    const { deployments } = await figures()
    const id = deployments.find(({ name }) => name === 'echo')?.deployment_id
    const page = await visitor.open(`/crons?deployment=${id}`)
    await page.getByText('No crons').waitFor()
    await page.getByRole('button', { name: 'New cron' }).click()
    const dialog = page.getByRole('dialog', { name: 'New cron' })
    await dialog.getByRole('textbox', { name: 'Schedule' }).fill('30 6 * * 1')
    await dialog.getByText('At 06:30, only on Monday').waitFor()
    await dialog.getByRole('button', { name: /Assistant/ }).click()
    await page.getByRole('option', { name: 'agent' }).click()
    await visitor.pictures('crons-new')
    expect(await visitor.faults()).toEqual([])
    await dialog.getByRole('button', { name: 'Create' }).click()
    const row = page.getByRole('row', { name: /At 06:30/ })
    await row.getByText('None yet').waitFor()
    expect(await crons()).toMatchObject([{ schedule: '30 6 * * 1', last_run: null }])

    const act = async (name: string) => {
      await row.getByRole('button', { name: /^Actions/ }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    const { next_run_date } = (await crons())[0] ?? {}
    await act('Run now')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('link', { name: /^cron / }).click()
    await page.getByRole('dialog', { name: /^At 06:30/ }).waitFor()
    await page.keyboard.press('Escape')
    await row.getByText('Done').waitFor()
    const [ran] = await crons()
    expect(ran).toMatchObject({ next_run_date, last_run: { status: 'success' } })
    await act('Pause')
    await row.getByText('Paused').waitFor()
    expect(await crons()).toMatchObject([{ enabled: false, next_run_date: null }])
    await row.getByRole('button', { name: /^At 06:30/ }).click()
    await page.getByText('It is paused.').waitFor()
    await page.keyboard.press('Escape')
    await visitor.pictures('crons')
    expect(await visitor.faults()).toEqual([])
    await act('Delete')
    await page
      .getByRole('alertdialog')
      .or(page.getByRole('dialog'))
      .getByRole('button', { name: 'Delete' })
      .click()
    await page.getByText('No crons').waitFor()
    expect(await crons()).toEqual([])
  })

  test('show webhook deliveries, and send one again', async () => {
    receiver.next.push((response) => void response.writeHead(410).end())
    const input = { messages: ['told'] }
    const { thread_id } = await echo.threads.create()
    await echo.runs.wait(thread_id, 'agent', { input, webhook: `${receiver.url}/hook` })
    await receiver.count(1)
    const { deployments } = await figures()
    const id = deployments.find(({ name }) => name === 'echo')?.deployment_id
    const page = await visitor.open(`/webhooks?deployment=${id}`)
    const row = page.getByRole('row', { name: /\/hook/ })
    await row.getByText('Failed').waitFor()
    expect(await row.textContent()).toContain('410')
    await visitor.pictures('webhooks')
    expect(await visitor.faults()).toEqual([])
    await row.getByRole('button', { name: /^Send again/ }).click()
    await row.getByText('Delivered').waitFor()
    await receiver.count(2)
    const [first, second] = receiver.received
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    await row.getByRole('button', { name: /hook$/ }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Delivery' })
    await dialog
      .getByText(String(first?.headers['webhook-id']))
      .or(dialog.getByText('webhook-id'))
      .first()
      .waitFor()
    expect(await dialog.textContent()).toContain(first?.json.run_id)
    await visitor.pictures('webhooks-delivery')
    expect(await visitor.faults()).toEqual([])

    await visitor.open(`/deployments/${id}/threads/${thread_id}/runs/${first?.json.run_id}`)
    const ofRun = page.getByRole('grid', { name: 'Webhook deliveries' })
    await ofRun.getByText('Delivered').waitFor()
    await ofRun.getByRole('button', { name: 'Send again' }).click()
    await receiver.count(3)
    expect(receiver.received[2]?.json.run_id).toBe(first?.json.run_id)
  })

  test('browse the store, search it by meaning, change and delete an item', async () => {
    await memory.store.putItem(['users', 'ann'], 'pet', { text: 'a cat' })
    await memory.store.putItem(['users', 'bob'], 'ride', { text: 'a car' })
    const { deployments } = await figures()
    const id = deployments.find(({ name }) => name === 'memory')?.deployment_id
    const page = await visitor.open(`/store?deployment=${id}`)
    const items = page.getByRole('grid', { name: 'Items' })
    await items.getByRole('row', { name: 'ride' }).waitFor()
    await visitor.pictures('store')
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('searchbox', { name: 'Search' }).fill('cat')
    await page.keyboard.press('Enter')
    await page.getByText('Sorted by similarity').waitFor()
    const [nearest] = await items.getByRole('rowheader').allTextContents()
    expect(nearest).toBe('pet')

    await page.getByRole('row', { name: 'users' }).click()
    await expect.poll(() => page.url()).toContain('namespace=users')
    await items.getByRole('button', { name: 'ride' }).click()
    const dialog = page.getByRole('dialog', { name: 'ride' })
    const editor = dialog.locator('.cm-content')
    await editor.fill('{ "text": "a dog" }')
    expect(await visitor.faults()).toEqual([])
    await visitor.pictures('store-item')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const stored = async () => (await memory.store.getItem(['users', 'bob'], 'ride'))?.value
    await expect.poll(stored).toEqual({ text: 'a dog' })
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page
      .getByRole('dialog', { name: 'Delete the item?' })
      .getByRole('button', { name: 'Delete' })
      .click()
    await expect.poll(stored).toBeUndefined()
    await expect.poll(() => items.getByRole('rowheader').allTextContents()).toEqual(['pet'])
  })

  test('show the rows of all deployments in one list, and of one that is chosen', async () => {
    const hook = `${receiver.url}/of`
    const input = { messages: [] }
    await echo.crons.create('agent', { schedule: '0 6 * * *', input })
    await memory.crons.create('own', { schedule: '0 7 * * *', input })
    await echo.store.putItem(['users', 'ann'], 'colour', { text: 'red' })
    await memory.store.putItem(['users', 'ann'], 'pet', { text: 'a cat' })
    for (const [name, client, graph] of [
      ['echo', echo, 'agent'],
      ['memory', memory, 'own'],
    ] as const) {
      const { thread_id } = await client.threads.create()
      const webhook = `${hook}/${name}`
      await client.runs.wait(thread_id, graph, { input, webhook }).catch(() => {})
    }
    const page = await visitor.open('/crons')
    const rows = (label: string) => page.getByRole('grid', { name: label }).getByRole('row')
    const expectBoth = async (label: string, ofEcho: RegExp, ofMemory: RegExp) => {
      await rows(label).filter({ hasText: ofEcho }).filter({ hasText: 'echo' }).waitFor()
      await rows(label).filter({ hasText: ofMemory }).filter({ hasText: 'memory' }).waitFor()
    }
    await expectBoth('Crons', /06:00/, /07:00/)
    await visitor.pictures('all-crons')
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('button', { name: /All deployments/ }).click()
    await page.getByRole('option', { name: 'memory' }).click()
    await expect.poll(() => rows('Crons').count()).toBe(2)
    expect(page.url()).toMatch(/deployment=/)
    expect(await page.getByRole('columnheader', { name: 'Deployment' }).count()).toBe(0)

    await visitor.open('/webhooks')
    await expectBoth('Deliveries', /of\/echo/, /of\/memory/)
    await visitor.pictures('all-webhooks')
    expect(await visitor.faults()).toEqual([])
    await visitor.open('/runs')
    await rows('Runs').filter({ hasText: 'echo' }).first().waitFor()
    await rows('Runs').filter({ hasText: 'memory' }).first().waitFor()

    await visitor.open('/store')
    await page.getByRole('grid', { name: 'Items' }).waitFor()
    await expectBoth('Items', /colour/, /pet/)
    await visitor.pictures('all-store')
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('button', { name: 'colour' }).click()
    await page.getByRole('dialog', { name: 'colour' }).getByText('red').waitFor()
    // An item of a deployment that is not among them is not looked up in another one.
    await page.goto(page.url().replace(/of=[^&]+/, 'of=gone'))
    await expectBoth('Items', /colour/, /pet/)
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('button', { name: 'New item' }).click()
    const dialog = page.getByRole('dialog', { name: 'New item' })
    await dialog.getByRole('button', { name: /Deployment/ }).click()
    await page.getByRole('option', { name: 'memory' }).click()
    await dialog.getByRole('textbox', { name: 'Namespace' }).fill('places')
    await dialog.getByRole('textbox', { name: 'Key' }).fill('home')
    await dialog.getByRole('button', { name: 'Store' }).click()
    await expect
      .poll(async () => (await memory.store.getItem(['places'], 'home'))?.value)
      .toEqual({})
    await visitor.narrow()
    for (const [path, label, header] of [
      ['/deployments', 'Deployments', 'Changed'],
      ['/runs', 'Runs', 'Created'],
      ['/crons', 'Crons', 'Next run'],
      ['/webhooks', 'Deliveries', 'When'],
    ] as const) {
      await visitor.open(path)
      const head = page.getByRole('grid', { name: label }).getByRole('columnheader')
      const box = await head.filter({ hasText: header }).boundingBox()
      expect([path, box !== null && box.x + box.width <= 390]).toEqual([path, true])
    }
    for (const { crons } of [echo, memory]) {
      for (const { cron_id } of await crons.search()) await crons.delete(cron_id)
    }
  })

  test('add a webhook of a deployment, send it a test, and remove it', async () => {
    const { deployments } = await figures()
    const id = deployments.find(({ name }) => name === 'echo')?.deployment_id ?? ''
    const url = `${receiver.url}/standing`
    const got = () => receiver.received.filter(({ path }) => path === '/standing')
    const page = await visitor.open(`/deployments/${id}/settings`)
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a webhook' })
    await dialog.getByRole('textbox', { name: 'URL' }).fill(url)
    await visitor.pictures('settings-webhook-add')
    expect(await visitor.faults()).toEqual([])
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    const list = page.getByRole('list', { name: 'Webhooks' })
    await list.getByText(url, { exact: true }).waitFor()
    const isServed = async () => {
      const { latest_revision_id, active_revision_id } = await dashboard.client.getDeployment(id)
      return latest_revision_id === active_revision_id
    }
    await expect.poll(isServed, { timeout: 60_000 }).toBe(true)
    await list.getByRole('button', { name: 'Send a test' }).click()
    await list.getByText('Delivered: 204').waitFor()
    expect(got()).toMatchObject([{ json: { is_test: true } }])
    receiver.next.push((response) => void response.writeHead(500).end())
    await list.getByRole('button', { name: 'Send a test' }).click()
    await list.getByText('It answered 500.').waitFor()
    await visitor.pictures('settings-webhooks')
    expect(await visitor.faults()).toEqual([])
    await echo.runs.wait(null, 'agent', { input: { messages: ['told'] } })
    await expect.poll(() => got().at(-1)?.json).toMatchObject({ status: 'success' })
    await list.getByRole('button', { name: `Remove ${url}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No webhooks').waitFor()
    await expect.poll(isServed, { timeout: 60_000 }).toBe(true)
  })

  test('make an OAuth provider, connect an account there, and delete both', async () => {
    const { api } = dashboard.client
    const providers = () => dataOf(api.GET('/v2/auth/providers'))
    const accounts = () => dataOf(api.GET('/v2/auth/tokens'))
    const { client_id, client_secret } = tracker.clientFor(
      `${dashboard.url}/v2/auth/callback/tracker`,
    )
    const page = await visitor.open('/connections')
    await page.getByText('No providers yet').waitFor()
    await page.getByRole('button', { name: 'New provider' }).click()
    const dialog = page.getByRole('dialog', { name: 'New provider' })
    const fill = (name: string, value: unknown) =>
      dialog.getByRole('textbox', { name, exact: true }).fill(String(value))
    await fill('Name', 'Tracker')
    await fill('Slug', 'tracker')
    await fill('Client id', client_id)
    await fill('Client secret', client_secret)
    await fill('Authorization URL', `${tracker.url}/auth`)
    await fill('Token URL', `${tracker.url}/token`)
    await fill('Revocation URL', `${tracker.url}/token/revocation`)
    expect(await visitor.faults()).toEqual([])
    await visitor.pictures('connections-new')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const row = page.getByRole('row', { name: /^Tracker/ })
    await row.getByText(new URL(tracker.url).host).waitFor()
    expect(await providers()).toMatchObject([{ provider_id: 'tracker', uses_pkce: true }])

    await row.getByRole('button', { name: 'Connect' }).click()
    const connect = page.getByRole('dialog', { name: 'Connect Tracker' })
    await connect.getByRole('textbox', { name: 'Scopes' }).fill('openid read')
    await connect.getByRole('button', { name: 'Create the link' }).click()
    const opened = page.context().waitForEvent('page')
    await connect.getByRole('link', { name: 'Go on at Tracker' }).click()
    await giveConsent(await opened)
    await connect.getByRole('button', { name: 'Done' }).click()
    const account = page.getByRole('grid', { name: 'Your accounts' }).getByRole('row').nth(1)
    await account.getByText('Active').waitFor()
    expect(await accounts()).toMatchObject([{ provider_id: 'tracker', scopes: ['openid', 'read'] }])
    await visitor.pictures('connections')
    expect(await visitor.faults()).toEqual([])

    const back = tracker.revocations
    await account.getByRole('button', { name: /^Actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No accounts are connected').waitFor()
    expect(await accounts()).toEqual([])
    await expect.poll(() => tracker.revocations).toBeGreaterThan(back)
    await row.getByRole('button', { name: 'Delete Tracker' }).click()
    await page.getByRole('textbox', { name: /^Type tracker/ }).fill('tracker')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('No providers yet').waitFor()
    expect(await providers()).toEqual([])
  })

  test('let a deployment sleep while pages of it are open, until somebody does something', async () => {
    const { deployments } = await figures()
    const id = deployments.find(({ name }) => name === 'echo')?.deployment_id ?? ''
    const params = { path: { deployment_id: id } }
    const state = async () => {
      const path = '/v2/deployments/{deployment_id}/runtime'
      return (await dataOf(dashboard.client.api.GET(path, { params }))).state
    }
    const studio = await visitor.open(`/deployments/${id}/studio/agent`)
    await studio.getByText('Talk to agent').waitFor()
    const other = await dashboard.visitor()
    const crons = await other.open(`/crons?deployment=${id}`)
    await crons.getByText('No crons').waitFor()

    const settings = await dashboard.visitor()
    const form = await settings.open(`/deployments/${id}/settings`)
    await form.getByRole('spinbutton', { name: 'Minimum instances' }).fill('0')
    await form.getByText('A new revision rolls out with it.').waitFor()
    await form.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(state).toBe('asleep')
    expect(settings.problems).toEqual([])
    await settings.leave()
    // They look on, and neither wake it nor are refused.
    const looks = (page: Page) =>
      page.waitForResponse(
        (answer) => answer.url().includes('/agents/echo/') && answer.status() === 204,
      )
    await Promise.all([looks(studio), looks(crons)])
    await crons.getByText('Rows of these deployments were read before.').waitFor()
    // Opening them does not wake it either.
    for (const place of ['crons', 'webhooks', 'store', 'runs']) {
      await other.open(`/${place}`)
      await crons.getByRole('button', { name: 'Wake echo' }).waitFor()
    }
    expect(await other.faults()).toEqual([])
    await other.pictures('asleep')
    expect(await state()).toBe('asleep')

    const field = studio.getByRole('textbox', { name: 'Message', exact: true })
    await field.fill('Are you there?')
    await field.press('Enter')
    const messages = studio.getByRole('region', { name: 'Messages' })
    await messages.getByText('echo: Are you there?').waitFor()
    await expect.poll(state).toBe('asleep')
    await other.open(`/crons?deployment=${id}`)
    await crons.getByRole('button', { name: 'Wake echo' }).click()
    await crons.getByText('No crons').waitFor()
    const { problems } = other
    await other.leave()
    expect(problems).toEqual([])
  })
})

/** As a person who has an account at the provider, in the window that was opened for it. */
async function giveConsent(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByPlaceholder('Enter any login').fill('anna')
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Tracker is connected' }).waitFor()
  await page.close()
}

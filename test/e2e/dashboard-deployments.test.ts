/** The dashboard's pages of deployments, in a real browser against a real Runyard, compared with its API. */
import { createHmac } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Client } from '@langchain/langgraph-sdk'
import type { Locator, Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Deployment, dataOf, type Revision } from '../../client/src/client.ts'
import { createGitRepository } from '../support/control-plane/git-repository.ts'
import { NO_BROWSER } from '../support/dashboard/browser.ts'
import { type Dashboard, startDashboard } from '../support/dashboard/dashboard.ts'
import type { DashboardVisitor } from '../support/dashboard/dashboard-visitor.ts'
import { runNow } from '../support/processes/program.ts'
import { forAllTests } from '../support/running.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const skipped = NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''
const echo = resolve(import.meta.dirname, '../fixtures/projects/echo')

/** Each test goes on where the one before it has left the deployment. */
describe.skipIf(NO_BROWSER)(`the pages of deployments${skipped}`, () => {
  let visitor: DashboardVisitor
  const work = temporaryFolder()
  let folder: string

  const dashboard = forAllTests(startDashboard)
  beforeAll(async () => {
    folder = join(work, 'Support Agent')
    cpSync(echo, folder, { recursive: true })
    write('.gitignore', 'notes/\n')
    write('notes/idea.md', 'not for others')
    write('.env', 'NOT_SENT=1')
    write('node_modules/junk/index.js', '')
  })
  beforeEach(async () => {
    visitor = await dashboard.visitor()
  })
  afterEach(async () => {
    const { problems } = visitor
    await visitor.leave()
    expect(problems).toEqual([])
  })

  function write(path: string, text: string): void {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const find = async (name = 'support-agent'): Promise<Deployment> => {
    const found = await dashboard.client.findDeployment(name)
    if (!found) throw new Error(`There is no deployment ${name}.`)
    return found
  }
  const entry = (page: Page, number: number) =>
    page.getByRole('listitem', { name: `Revision #${number}`, exact: true })
  const revisions = async (): Promise<Revision[]> =>
    dashboard.client.listRevisions((await find()).id)
  const agent = () =>
    new Client({
      apiUrl: `${dashboard.url}/agents/support-agent`,
      apiKey: dashboard.runyard.adminKey,
    })
  /** Answers the run's id when it is over. */
  const runOnce = async (graph: string, input: Record<string, unknown>): Promise<string> => {
    const { thread_id } = await agent().threads.create()
    const { run_id } = await agent().runs.create(thread_id, graph, { input })
    await agent().runs.join(thread_id, run_id)
    return run_id
  }

  test('say what would be here while there is nothing', async () => {
    const page = await visitor.open('/deployments')
    await page.getByText('Nothing is deployed yet.').waitFor()
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('link', { name: 'New deployment' }).first().click()
    await page.getByRole('heading', { name: 'New deployment' }).waitFor()
  })

  test('take a folder that is dropped, and show its build until it serves', async () => {
    const page = await visitor.open('/deployments/new')
    await drop(page.getByText('Drop a project’s folder here'), folder)
    await page.getByText('What is sent').click()
    const files = page.getByRole('list', { name: 'Files that are sent' })
    expect(await files.locator('code').allTextContents()).toEqual([
      '.gitignore',
      'graph.ts',
      'langgraph.json',
      'model.ts',
      'package.json',
      'tools.ts',
    ])
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    expect(await name.inputValue()).toBe('support-agent')
    await page.getByRole('button', { name: 'Paste a .env file' }).click()
    await page.getByRole('textbox', { name: 'NAME=value lines' }).fill('TOKEN=abcdef12345\nB="two"')
    await page.getByRole('button', { name: 'Take them' }).click()
    expect(await visitor.faults()).toEqual([])
    await visitor.pictures('deployments-new')
    await page.getByRole('button', { name: 'Deploy', exact: true }).click()

    await page.getByRole('heading', { name: /^Revision #1/ }).waitFor()
    await page.getByRole('region', { name: 'Build log' }).getByText('Unpacked').waitFor()
    await page.getByRole('heading', { name: /Serving/ }).waitFor({ timeout: 120_000 })
    const { id, secrets, active_revision_id } = await find()
    expect(secrets).toEqual([
      { name: 'TOKEN', value: 'abcdef12345' },
      { name: 'B', value: 'two' },
    ])
    expect(page.url()).toContain(`/deployments/${id}/revisions/${active_revision_id}`)
    const { logs } = await dashboard.client.readBuildLog(id, active_revision_id ?? '', undefined)
    const shown = page.getByRole('region', { name: 'Build log' })
    await shown.getByText(logs.at(-1)?.message ?? 'no last line').waitFor()
    expect(await visitor.faults()).toEqual([])
    await visitor.pictures('deployments-revision')
  })

  test('ask before a new deployment becomes the next revision of another', async () => {
    const page = await visitor.open('/deployments/new')
    await drop(page.getByText('Drop a project’s folder here'), folder)
    await page.getByText('support-agent exists: this becomes its next revision.').waitFor()
    const send = page.getByRole('button', { name: 'Deploy the next revision of support-agent' })
    await send.click()
    const dialog = page.getByRole('dialog', { name: 'support-agent exists already' })
    await dialog.getByText('cancel and choose another name').waitFor()
    expect(await visitor.faults()).toEqual([])
    await visitor.pictures('deployments-taken')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await revisions()).toHaveLength(1)
  })

  test('say before anything is sent what a build would refuse', async () => {
    const broken = join(work, 'broken')
    mkdirSync(broken)
    writeFileSync(join(broken, 'langgraph.json'), '{"graphs": {"agent": "./gone.ts:graph"}}')
    const page = await visitor.open('/deployments/new')
    await drop(page.getByText('Drop a project’s folder here'), broken)
    await page.getByRole('alert').getByText('./gone.ts, which is not sent').waitFor()
    expect(await page.getByRole('button', { name: 'Deploy', exact: true }).isDisabled()).toBe(true)

    await page.getByRole('button', { name: 'Tarball', exact: true }).click()
    const ground = page.getByText('Drop a .tar.gz of a project here')
    await drop(ground, broken)
    await page.getByRole('alert').getByText('A folder is dropped under Folder.').waitFor()
    await drop(ground, join(broken, 'langgraph.json'))
    await page.getByRole('alert').getByText('langgraph.json is not gzipped').waitFor()
    await visitor.pictures('deployments-not-gzipped')
  })

  test('tell why a revision has failed, with the lines where it did', async () => {
    write('graph.ts', "throw new Error('The catalogue of orders is not there.')\n")
    const failed = await dashboard.deploy('support-agent', folder)
    expect(failed.status).toBe('DEPLOY_FAILED')
    const { id } = await find()
    const page = await visitor.open(`/deployments/${id}/revisions`)
    const [sentence = ''] = (failed.status_message ?? '').replace(/^\w+: /, '').split('\n')
    expect(sentence).toContain('The catalogue of orders is not there.')
    await entry(page, 2).getByText(sentence).first().waitFor()
    await entry(page, 2)
      .getByRole('region', { name: 'End of the server log' })
      .getByText('The catalogue of orders is not there.')
      .first()
      .waitFor()
    await entry(page, 1).getByText('Serving', { exact: true }).waitFor()
    await entry(page, 2).getByText('Changed by admin').waitFor()
    expect(await visitor.faults()).toEqual([])
    await visitor.pictures('deployments-revisions')
    await entry(page, 2).getByRole('link', { name: 'The whole server log' }).click()
    await page.getByRole('region', { name: 'Server log' }).getByText('catalogue').first().waitFor()
  })

  test('show what a revision changed, line by line', async () => {
    const [failed] = await revisions()
    const { id } = await find()
    const page = await visitor.open(`/deployments/${id}/revisions/${failed?.id}`)
    const files = page.getByRole('list', { name: 'Changed files' })
    await files.getByText('graph.ts').click()
    const lines = files.getByRole('region', { name: 'Lines of graph.ts' })
    await lines.getByText("+throw new Error('The catalogue of orders is not there.')").waitFor()
    expect(await files.getByRole('listitem').count()).toBe(1)
    expect(await visitor.faults()).toEqual([])
    await visitor.pictures('deployments-changes')
  })

  test('show the log by level, text and revision, and lead to each line', async () => {
    const { id } = await find()
    const page = await visitor.open(`/deployments/${id}/logs?level=ERROR&revision=2`)
    const log = page.getByRole('region', { name: 'Server log' })
    await log.getByText('catalogue').first().waitFor()
    await page.getByRole('searchbox', { name: 'Search the lines' }).fill('of nothing at all')
    await page.getByText('No line matches.').waitFor()
    await page.getByRole('searchbox', { name: 'Search the lines' }).fill('CATALOGUE')
    await log.getByRole('button').first().click()
    await expect.poll(() => new URL(page.url()).searchParams.get('line')).toContain('.')
    await page.reload()
    await log.getByText('catalogue').first().waitFor()
    await page.getByRole('button', { name: 'Follow' }).waitFor()
    expect(await visitor.faults()).toEqual([])
    await visitor.pictures('deployments-logs')

    const [good, bad] = [
      await runOnce('agent', { messages: [{ role: 'user', content: 'hello' }] }),
      await runOnce('fail', { reason: 'The ink is out.' }),
    ]
    await visitor.open(`/deployments/${id}/logs`)
    await log.getByText('The ink is out.').first().waitFor()
    const run = page.getByRole('textbox', { name: 'Run', exact: true })
    await run.fill(good)
    await log.getByText('The ink is out.').first().waitFor({ state: 'detached' })
    await log.getByText('a run has ended').waitFor()
    await run.fill(bad)
    await log.getByText('The ink is out.').first().waitFor()
  })

  test('show the lines of a log as rows that lead to their run, over a range of time', async () => {
    const { id } = await find()
    const failed = await runOnce('fail', { reason: 'The paper is out.' })
    const page = await visitor.open(`/deployments/${id}/logs?within=hour`)
    const log = page.getByRole('region', { name: 'Server log' })
    const { href, only } = linksOf(log, failed)
    await href.first().waitFor()
    expect(await log.getByText('The paper is out.').first().innerText()).not.toContain('{"')

    await only.first().click()
    await expect.poll(() => new URL(page.url()).searchParams.get('run')).toBe(failed)
    await log.getByText('a run has ended').waitFor()
    await log.getByText('the run failed').waitFor()
    expect(await log.getByRole('button').count()).toBe(2)
    await log.getByRole('button', { expanded: false }).first().click()
    await log.getByRole('button', { expanded: true }).waitFor()
    await log.getByRole('link', { name: failed }).waitFor()
    await log.getByRole('link', { name: 'Only this thread' }).waitFor()
    expect(await visitor.faults()).toEqual([])
    await visitor.pictures('deployments-logs-line')
    await log.getByRole('link', { name: failed }).click()
    await page.getByRole('heading', { name: /^Run / }).waitFor()

    await visitor.open(`/deployments/${id}/logs?within=hour`)
    await href.first().waitFor()
    const bars = page.getByRole('figure', { name: 'Lines over time' }).getByRole('button')
    await bars
      .and(page.getByLabel(/errors: /))
      .last()
      .click()
    await expect.poll(() => new URL(page.url()).searchParams.get('within')).toBe('custom')
    await href.first().waitFor()
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0)
    await visitor.pictures('deployments-logs-custom')
    await page.getByLabel('To', { exact: true }).fill('2020-01-01T00:00:00')
    await page.getByText('No line matches.').waitFor()
    await visitor.open(`/deployments/${id}/logs?within=hour`)
    await href.first().waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    const later = await runOnce('agent', { messages: [{ role: 'user', content: 'hello' }] })
    const path = { params: { path: { project_id: id } }, body: { run_id: later } }
    const written = () =>
      dataOf(dashboard.client.api.POST('/v1/projects/{project_id}/deploy_logs', path))
    await expect.poll(async () => (await written()).logs.length).toBeGreaterThan(0)
    expect(await linksOf(log, later).href.count()).toBe(0)
    await page.getByRole('button', { name: 'Follow' }).click()
    await linksOf(log, later).href.first().waitFor()
    await href.first().waitFor()
    expect(await visitor.faults()).toEqual([])
    await visitor.pictures('deployments-logs-range')
  })

  test('go back under load without one request that fails', async () => {
    cpSync(echo, folder, { recursive: true })
    expect(await dashboard.deploy('support-agent', folder)).toMatchObject({ status: 'DEPLOYED' })
    const { id } = await find()
    const page = await visitor.open(`/deployments/${id}/revisions`)
    await entry(page, 3).getByText('Serving', { exact: true }).waitFor()
    const prober = startProber(dashboard)
    await entry(page, 1).getByRole('button', { name: 'Roll back to #1' }).click()
    await page.getByText('as #4, with its configuration and secrets.').waitFor()
    await entry(page, 4).getByText('Back to #1 by admin').waitFor()
    await entry(page, 4).getByText('Serving', { exact: true }).waitFor({ timeout: 120_000 })
    await expect.poll(prober.answered).toBeGreaterThan(5)
    expect(await prober.stop()).toEqual([])
    const states = await Promise.all([1, 2, 3, 4].map((n) => entry(page, n).textContent()))
    expect(states[0]).toContain('Replaced')
    expect(states[1]).toContain('Rollout failed')
    expect((await revisions()).map(({ number, status }) => [number, status])).toEqual([
      [4, 'DEPLOYED'],
      [3, 'DEPLOYED'],
      [2, 'DEPLOY_FAILED'],
      [1, 'DEPLOYED'],
    ])
    await page.getByText('Serving #4').waitFor()
  })

  test('tell of the deployment what its API tells, and how to call it', async () => {
    const { id, url } = await find()
    const page = await visitor.open(`/deployments/${id}`)
    await page.getByRole('heading', { name: 'Revision #4' }).waitFor()
    await page.getByText(url, { exact: true }).waitFor()
    await page.getByText('Healthy').waitFor()
    await page.getByRole('tab', { name: 'Python' }).click()
    await page.getByText('get_sync_client(').waitFor()
    await page.getByRole('link', { name: 'Studio' }).first().waitFor()
    expect(await visitor.faults()).toEqual([])
    await visitor.pictures('deployments-overview')
    await visitor.open('/deployments')
    await page
      .getByRole('row', { name: /support-agent/ })
      .getByText('Serving #4')
      .waitFor()
    expect(await visitor.faults()).toEqual([])
    await visitor.pictures('deployments')
  })

  test('set a secret by the keyboard alone, and never show its value', async () => {
    const { id } = await find()
    const page = await visitor.open(`/deployments/${id}/settings`)
    await page.getByRole('list', { name: 'Secrets' }).getByText('TOKEN', { exact: true }).waitFor()
    await tabTo(page, page.getByRole('button', { name: 'Set secrets' }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('textbox', { name: 'Name', exact: true }))
    await page.keyboard.type('SLACK_TOKEN')
    await page.keyboard.press('Tab')
    await page.keyboard.type('xoxb-nobody-sees')
    expect(await visitor.faults()).toEqual([])
    const told = page.getByText('A new revision rolls out with it.').waitFor()
    await Promise.all([told, page.keyboard.press('Enter')])
    await page.getByRole('dialog', { name: 'Set secrets' }).waitFor({ state: 'detached' })
    await page
      .getByRole('list', { name: 'Secrets' })
      .getByText('SLACK_TOKEN', { exact: true })
      .waitFor()
    expect(await page.content()).not.toMatch(/xoxb-nobody-sees|abcdef12345/)
    const { secrets } = await find()
    expect(secrets.map(({ name }) => name)).toEqual(['TOKEN', 'B', 'SLACK_TOKEN'])
    expect(await visitor.faults()).toEqual([])
    await visitor.pictures('deployments-settings')
  })

  test('offer nothing to a viewer that a viewer may not do', async () => {
    const { id } = await find()
    const body = { name: 'looks-only', role: 'viewer' } as const
    const { key } = await dataOf(dashboard.client.api.POST('/v2/api-keys', { body }))
    const viewer = await dashboard.visitor(key)
    const page = await viewer.open(`/deployments/${id}/revisions`)
    await entry(page, 1).getByText('Replaced').waitFor()
    for (const name of [/Roll back/, /Deploy again/, /Interrupt/]) {
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    }
    await viewer.open(`/deployments/${id}/settings`)
    await page.getByRole('list', { name: 'Secrets' }).getByText('TOKEN', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /Set secrets|Remove|Delete|Save/ }).count()).toBe(
      0,
    )
    await viewer.open('/deployments/new')
    await page.getByText('Your role (viewer) cannot deploy.').waitFor()
    const { problems } = viewer
    await viewer.leave()
    expect(problems).toEqual([])
  })

  test('take a tarball as the next revision, and tell which threads it cannot go on with', async () => {
    const { thread_id } = await agent().threads.create()
    await agent().runs.wait(thread_id, 'ask', { input: { question: 'Refund it?' } })
    const config = JSON.parse(readFileSync(join(echo, 'langgraph.json'), 'utf8'))
    delete config.graphs.ask
    write('langgraph.json', JSON.stringify(config))
    const tarball = join(work, 'without-ask.tar.gz')
    runNow('tar', ['czf', tarball, '-C', folder, '--exclude=node_modules', '.'])

    const page = await visitor.open('/deployments/new?from=tarball&name=support-agent')
    await drop(page.getByText('Drop a .tar.gz of a project here'), tarball)
    await page.getByText(/^without-ask\.tar\.gz, /).waitFor()
    expect(await visitor.faults()).toEqual([])
    await page.getByRole('button', { name: 'Deploy the next revision of support-agent' }).click()
    await page.getByRole('heading', { name: /^Revision #6/ }).waitFor()
    await page.getByRole('heading', { name: /Serving/ }).waitFor({ timeout: 120_000 })
    const [newest] = await revisions()
    expect(newest?.parked_threads).toMatchObject({ parked: 1, broken: 1 })

    const { id } = await find()
    await visitor.open(`/deployments/${id}/revisions`)
    const told = entry(page, 6)
    await told.getByText('It cannot go on with 1 of 1 thread that was').waitFor()
    await told.getByText('The graph ask is not there any more.').waitFor()
    expect(await visitor.faults()).toEqual([])
    await visitor.pictures('deployments-parked')
    await told.getByRole('link', { name: new RegExp(thread_id.slice(0, 8)) }).click()
    // Its graph is gone, so there are no schemas to show its conversation with.
    visitor.expect(/\/schemas: 404$/)
    await page.getByText('Waiting for an answer').first().waitFor()
    await page.getByText('The conversation cannot be shown.').waitFor()
    await page.getByText('Refund it?').first().waitFor()
    expect(await visitor.faults()).toEqual([])
  })

  test('interrupt a rollout, while the revision before goes on serving', async () => {
    const { id } = await find()
    const page = await visitor.open(`/deployments/${id}/revisions`)
    await entry(page, 6).getByText('Serving', { exact: true }).waitFor({ timeout: 120_000 })
    // A build that would take longer than anybody waits.
    await dashboard.client.patchDeployment(id, { source_config: { install_command: 'sleep 600' } })
    await entry(page, 7)
      .getByText(/goes on serving/)
      .waitFor()
    await entry(page, 7).getByText('Install command').waitFor()
    await entry(page, 7).getByRole('button', { name: 'Interrupt' }).click()
    await entry(page, 7).getByText('Interrupted', { exact: true }).waitFor()
    expect((await revisions())[0]).toMatchObject({ number: 7, status: 'INTERRUPTED' })
  })

  test('deploy from git, take a push with the address and secret of the page, and tell the Studio', async () => {
    const repository = createGitRepository(echo)
    try {
      const page = await visitor.open('/deployments/new?from=git')
      await page.getByRole('textbox', { name: 'Repository' }).fill(repository.url)
      await page.getByRole('textbox', { name: 'Branch, tag or commit' }).fill('main')
      await page.getByText('Create a revision of each push').click()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('from-git')
      await page.getByRole('button', { name: 'Paste a .env file' }).click()
      await page.getByRole('textbox', { name: 'NAME=value lines' }).fill('OLD_TOKEN=1')
      await page.getByRole('button', { name: 'Take them' }).click()
      expect(await visitor.faults()).toEqual([])
      await visitor.pictures('deployments-new-git')
      await page.getByRole('button', { name: 'Deploy', exact: true }).click()
      await page.getByRole('heading', { name: /^Revision #1/ }).waitFor()
      const made = await find('from-git')
      expect(made).toMatchObject({
        source: 'github',
        source_config: { repo_url: repository.url, build_on_push: true },
        source_revision_config: { repo_ref: 'main', langgraph_config_path: 'langgraph.json' },
      })
      const { id } = made
      await visitor.open(`/deployments/${id}/settings`)
      await page.getByRole('button', { name: 'Create a new secret' }).click()
      const copied = async (what: string) => {
        const row = page.getByText(what, { exact: true }).locator('..')
        await row.getByRole('button', { name: 'Copy' }).click()
        await row.getByRole('button', { name: 'Copied' }).waitFor()
        return page.evaluate<string>('navigator.clipboard.readText()')
      }
      const [address, secret] = [await copied('Address'), await copied('Secret')]
      expect(await visitor.faults()).toEqual([])
      await visitor.pictures('deployments-push')

      await visitor.open(`/deployments/${id}/revisions`)
      await entry(page, 1).getByText('Serving', { exact: true }).waitFor()
      const other = await dashboard.visitor()
      const studio = await other.open(`/deployments/${id}/studio/agent`)
      await studio.getByText('Talk to agent').waitFor()
      const body = JSON.stringify({
        ref: 'refs/heads/main',
        before: 'a'.repeat(40),
        after: repository.commit('README.md', 'changed'),
        repository: { default_branch: 'main' },
      })
      const signature = createHmac('sha256', secret).update(body).digest('hex')
      const headers = {
        'x-github-event': 'push',
        'x-hub-signature-256': `sha256=${signature}`,
        'content-type': 'application/json',
      }
      expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(200)
      await entry(page, 2).getByText('Serving', { exact: true }).waitFor()
      await entry(page, 2).getByText('change README.md').waitFor()
      // Somebody comes back to the tab.
      const told = async () => {
        await studio.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
        return studio.getByText('A new version answers now').count()
      }
      await expect.poll(told, { timeout: 60_000 }).toBeGreaterThan(0)
      const { problems } = other
      await other.leave()
      expect(problems).toEqual([])
      await entry(page, 2).getByRole('button', { name: 'Deploy again' }).click()
      await entry(page, 3).getByText('#2 deployed again by admin').waitFor()
      await visitor.open(`/deployments/${id}/settings`)
      await page.getByRole('button', { name: 'Remove OLD_TOKEN' }).click()
      await page.getByRole('button', { name: 'Remove', exact: true }).click()
      await page.getByText('No secrets').waitFor()
      await visitor.open(`/deployments/${id}/revisions`)
      await entry(page, 4).getByText('Removed secrets').waitFor()
    } finally {
      repository.remove()
    }
  })

  test('delete a deployment whose name is typed', async () => {
    const { id } = await find()
    const page = await visitor.open(`/deployments/${id}/settings`)
    await page.getByRole('button', { name: 'Delete the deployment' }).click()
    const confirm = page.getByRole('button', { name: 'Delete', exact: true })
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByRole('textbox', { name: /Type support-agent/ }).fill('support-agent')
    await confirm.click()
    await page.getByRole('heading', { name: 'Deployments' }).waitFor()
    const isGone = async () =>
      expect(await dashboard.client.findDeployment('support-agent')).toBeUndefined()
    await vi.waitFor(isGone, { timeout: 120_000 })
  })
})

/** As a person does it: the browser gets the folder itself. */
async function drop(onto: Locator, path: string): Promise<void> {
  // Waits until it stands still as well.
  await onto.hover()
  const box = await onto.boundingBox()
  if (!box) throw new Error('There is no place to drop it.')
  const session = await onto.page().context().newCDPSession(onto.page())
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  const data = { items: [], files: [path], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, ...at, data })
  }
  await session.detach()
}

async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let presses = 0; presses < 60; presses++) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('The key Tab never comes to it.')
}

/** Calls the agent without a pause until it is stopped. */
function startProber({ runyard }: Dashboard) {
  const failures: string[] = []
  let answered = 0
  let isStopped = false
  const probe = async () => {
    while (!isStopped) {
      const response = await fetch(`${runyard.url}/agents/support-agent/runs/wait`, {
        method: 'POST',
        headers: { 'x-api-key': runyard.adminKey, 'content-type': 'application/json' },
        body: JSON.stringify({
          assistant_id: 'agent',
          input: { messages: [{ role: 'user', content: 'hello' }] },
        }),
      })
      const text = await response.text()
      if (response.ok && text.includes('echo: hello')) answered++
      else failures.push(`${response.status} ${text.slice(0, 200)}`)
    }
  }
  const probing = Promise.all([probe(), probe()])
  return {
    answered: () => answered,
    /** Answers what went wrong. */
    async stop() {
      isStopped = true
      await probing
      return failures
    },
  }
}

/** The links of a run's rows in a log: to the run, and to the log of only this run. */
function linksOf(log: Locator, run_id: string) {
  return {
    href: log.locator(`a[href$="/runs/${run_id}"]`),
    only: log.locator(`a[aria-label="Only this run"][href$="run=${run_id}"]`),
  }
}

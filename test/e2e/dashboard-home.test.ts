/** The first page: from a first look to a first answer without a key typed, and to what needs attention. */
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@langchain/langgraph-sdk'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dataOf } from '../../client/src/client.ts'
import { NO_BROWSER } from '../support/dashboard/browser.ts'
import { startDashboard } from '../support/dashboard/dashboard.ts'
import type { DashboardVisitor } from '../support/dashboard/dashboard-visitor.ts'
import { writeProject } from '../support/hosts/bundled-project.ts'
import { forAllTests } from '../support/running.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const skipped = NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''

describe.skipIf(NO_BROWSER)(`Home${skipped}`, () => {
  let visitor: DashboardVisitor
  const folder = temporaryFolder()
  const dashboard = forAllTests(startDashboard)
  beforeEach(async () => {
    visitor = await dashboard.visitor()
  })
  afterEach(async () => {
    const { problems } = visitor
    await visitor.leave()
    expect(problems).toEqual([])
  })

  test('and the pages of agent servers offer a viewer nothing to deploy', async () => {
    const body = { name: 'auditor', role: 'viewer' } as const
    const { key } = await dataOf(dashboard.client.api.POST('/v2/api-keys', { body }))
    await visitor.leave()
    visitor = await dashboard.visitor(key)
    const page = await visitor.open('/')
    await page.getByText('An admin or a developer of this workspace can deploy.').waitFor()
    for (const path of ['/crons', '/webhooks', '/store']) {
      await visitor.open(path)
      await page.getByText('No deployment serves').waitFor()
      expect(await page.getByRole('link', { name: 'Deploy an agent' }).count()).toBe(0)
    }
    await visitor.open('/connections')
    await page.getByText('No providers yet').waitFor()
    expect(await page.getByRole('button', { name: 'New provider' }).count()).toBe(0)
  })

  test('leads from the link of a first start to a first answer, with no key typed', async () => {
    await visitor.leave()
    visitor = await dashboard.stranger()
    const { page } = visitor
    await page.goto(await dashboard.link())
    await page.getByRole('heading', { name: 'Deploy your own' }).waitFor()
    await visitor.pictures('home-empty')
    expect(await visitor.faults()).toEqual([])
    const isShown = page.getByText('The example is made ready').waitFor()
    const deployed = dashboard.deploy('example', 'examples/agent')
    await isShown
    expect(await visitor.faults()).toEqual([])
    expect(await deployed).toMatchObject({ status: 'DEPLOYED' })
    await page.getByRole('button', { name: 'What can you do?' }).click()
    await page.getByText('This is turn 1 of our conversation.').waitFor()
    await page.getByRole('textbox', { name: 'Message' }).fill('And again')
    await page.keyboard.press('Enter')
    await page.getByText('You said: "And again". This is turn 2').waitFor()
    await page.getByText(/First token after \d+ ms/).waitFor()
    await visitor.pictures('home-first')
    expect(await visitor.faults()).toEqual([])
    const studio = page.getByRole('link', { name: 'See its steps in the Studio' })
    const thread = new URL((await studio.getAttribute('href')) ?? '', page.url()).searchParams
    const client = new Client({
      apiUrl: `${dashboard.url}/agents/example`,
      apiKey: dashboard.runyard.adminKey,
    })
    const messages = async () => {
      const { values } = await client.threads.getState(thread.get('thread') ?? '')
      return (values as { messages: unknown[] }).messages
    }
    // The last words come before their step is kept.
    await expect.poll(messages).toHaveLength(4)
  })

  test('says how to call it, in words that work as they are copied', async () => {
    const page = await visitor.open('/')
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByText('is shown this once').waitFor()
    const said = async (language: string) => {
      await page.getByRole('tab', { name: language }).click()
      const region = page.getByRole('region', { name: `Called with ${language}` })
      return (await region.textContent()) ?? ''
    }
    const run = promisify(execFile)
    const curl = await run('bash', ['-c', await said('curl')])
    expect(JSON.parse(curl.stdout).messages.at(-1).content).toContain('You said: "Hello"')
    const script = resolve(import.meta.dirname, `../../node_modules/.home-${process.pid}.mjs`)
    try {
      await writeFile(script, await said('JavaScript'))
      const { stdout } = await run(process.execPath, [script])
      expect(stdout).toBe('You said: "Hello". This is turn 1 of our conversation.')
    } finally {
      await rm(script, { force: true })
    }
    expect(await said('Python')).toContain(`url="${dashboard.url}/agents/example"`)
    await page.getByRole('tab', { name: 'From git' }).click()
    await page.getByRole('textbox', { name: 'Repository' }).waitFor()
    await page.getByRole('tab', { name: 'By a command' }).click()
    await page.getByText('runyard deploy . --name my-agent').waitFor()
  })

  test('leads to the question of a thread that waits', async () => {
    expect(await dashboard.deploy('asking', 'examples/a2a')).toMatchObject({ status: 'DEPLOYED' })
    const client = new Client({
      apiUrl: `${dashboard.url}/agents/asking`,
      apiKey: dashboard.runyard.adminKey,
    })
    const [assistant] = await client.assistants.search({ limit: 1 })
    const { thread_id } = await client.threads.create()
    const messages = [{ role: 'human', content: 'QUESTION' }]
    await client.runs.wait(thread_id, assistant?.assistant_id ?? '', { input: { messages } })
    const page = await visitor.open('/')
    const need = page.getByRole('listitem').filter({ hasText: 'asking: one thread waits' })
    await need.getByRole('link', { name: 'Answer' }).click()
    await page.waitForURL(new RegExp(`/studio/.+thread=${thread_id}`))
    await page.getByRole('region', { name: 'Interrupt' }).waitFor()
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")')
    await expect.poll(focused).toBe('Answer')
    await page.keyboard.type('yes')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Interrupt' }).waitFor({ state: 'detached' })
  })

  test('names what needs attention, and leads there', async () => {
    const broken = join(folder, 'broken')
    await writeProject(broken, {
      'package.json': '{ "type": "module" }',
      'langgraph.json': JSON.stringify({ graphs: { agent: './graph.ts:graph' } }),
      'graph.ts': "import './not-there.ts'\nexport const graph = {}\n",
    })
    expect(await dashboard.deploy('broken', broken)).toMatchObject({ status: 'BUILD_FAILED' })
    const page = await visitor.open('/')
    const needs = page.getByRole('listitem').filter({ hasText: 'broken: #1 failed: The project' })
    await needs.waitFor()
    await page.getByRole('row', { name: /broken/ }).waitFor()
    await visitor.pictures('home-later')
    expect(await visitor.faults()).toEqual([])
    await needs.getByRole('link', { name: 'See why' }).click()
    await page.waitForURL(/\/deployments\/[\da-f-]+\/revisions\/[\da-f-]+/)
  })
})

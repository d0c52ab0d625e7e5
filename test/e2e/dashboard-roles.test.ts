/** Each role in a workspace that is not the first one, on every page of the dashboard. */
import { resolve } from 'node:path'
import { Client } from '@langchain/langgraph-sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { ControlPlaneClient, dataOf } from '../../client/src/client.ts'
import { deployFolder } from '../../src/cli/deploy/deploy-folder.ts'
import type { Role } from '../../src/core/people/api-key.ts'
import { NO_BROWSER } from '../support/dashboard/browser.ts'
import { startDashboard } from '../support/dashboard/dashboard.ts'
import { DASHBOARD_PAGES } from '../support/dashboard/dashboard-pages.ts'
import type { LivedIn } from '../support/dashboard/lived-in.ts'
import { forAllTests } from '../support/running.ts'

const skipped = NO_BROWSER ? ` (skipped: ${NO_BROWSER})` : ''
const echo = resolve(import.meta.dirname, '../fixtures/projects/echo')
const WRITERS: readonly Role[] = ['admin', 'developer']

/** What a page offers, by the page's name, and to which roles. Nobody here runs the installation. */
const OFFERED: Record<
  string,
  readonly [kind: 'button' | 'link', name: string, to: readonly Role[]]
> = {
  home: ['link', 'New deployment', WRITERS],
  deployments: ['link', 'New deployment', WRITERS],
  'new-deployment': ['button', 'Deploy', WRITERS],
  revisions: ['button', 'Deploy again', WRITERS],
  revision: ['button', 'Deploy again', WRITERS],
  'deployment-settings': ['button', 'Delete the deployment', WRITERS],
  thread: ['button', 'Delete', WRITERS],
  studio: ['button', 'New thread', WRITERS],
  crons: ['button', 'New cron', WRITERS],
  store: ['button', 'New item', WRITERS],
  connections: ['button', 'New provider', WRITERS],
  'settings-keys': ['button', 'New key', ['admin']],
  'settings-workspaces': ['button', 'New workspace', []],
  'settings-listeners': ['button', 'New listener', WRITERS],
  'settings-audit': ['button', 'Export', ['admin']],
  'settings-encryption': ['button', 'Change the encryption key', []],
}

describe.skipIf(NO_BROWSER)(`roles and workspaces${skipped}`, () => {
  let at: LivedIn
  const keys = new Map<Role, string>()

  const dashboard = forAllTests(startDashboard)
  beforeAll(async () => {
    const { url, client } = dashboard
    const made = await dataOf(client.api.POST('/v2/workspaces', { body: { name: 'Blue' } }))
    for (const role of ['admin', 'developer', 'viewer', 'agent'] as const) {
      const body = { name: `the ${role}`, role, workspace_id: made.id }
      keys.set(role, (await dataOf(client.api.POST('/v2/api-keys', { body }))).key)
    }
    at = await deployWith(url, keys.get('admin') ?? '')
  })

  test.each(['admin', 'developer', 'viewer'] as const)(
    'a page asks for nothing that is refused, and offers what is allowed: to a key of role %s',
    async (role) => {
      const visitor = await dashboard.visitor(keys.get(role))
      for (const { name, path } of DASHBOARD_PAGES) {
        const page = await visitor.open(path(at))
        await visitor.drawn()
        expect([name, visitor.problems]).toEqual([name, []])
        const offer = OFFERED[name]
        if (!offer) continue
        const [kind, label, to] = offer
        const offered = page.getByRole(kind, { name: label, exact: true })
        if (to.includes(role)) await offered.first().waitFor()
        else expect([name, await offered.count()]).toEqual([name, 0])
      }
      await visitor.leave()
    },
  )

  test('a key that only calls agents signs nobody in', async () => {
    const visitor = await dashboard.stranger()
    visitor.expect(/: 40[13]$/)
    const page = await visitor.open('/deployments')
    await page.getByLabel('API key').fill(keys.get('agent') ?? '')
    await page.keyboard.press('Enter')
    await page.getByText(/only calls agents/).waitFor()
    expect(visitor.problems).toEqual([])
    await visitor.leave()
  })

  test('a workspace shows nothing of another one', async () => {
    const visitor = await dashboard.visitor()
    const page = await visitor.open('/deployments')
    await page.getByText('Nothing is deployed yet.').waitFor()
    expect(await page.content()).not.toContain('blue-agent')
    for (const place of ['/', '/runs', '/operations']) {
      await visitor.open(place)
      await visitor.drawn()
      expect([place, (await page.content()).includes('blue-agent')]).toEqual([place, false])
    }
    visitor.expect(/\/v2\/deployments\/[\da-f-]{36}: 404$/)
    await visitor.open(`/deployments/${at.travel.deployment}`)
    await page.getByRole('heading', { name: 'Not in this workspace' }).waitFor()
    expect(visitor.problems).toEqual([])
    await visitor.leave()
  })
})

/** One deployment with one conversation: pages of any other are shown with it. */
async function deployWith(url: string, apiKey: string): Promise<LivedIn> {
  const client = new ControlPlaneClient({ url, apiKey })
  const { signal } = new AbortController()
  const source = { folder: echo, name: 'blue-agent', secrets: [] }
  const { id: revision } = await deployFolder(client, { ...source, signal })
  const deployment = (await client.findDeployment('blue-agent'))?.id ?? ''
  const agent = new Client({ apiUrl: `${url}/agents/blue-agent`, apiKey })
  const { thread_id: thread } = await agent.threads.create()
  const input = { messages: [{ role: 'user', content: 'hello' }] }
  const { run_id: run } = await agent.runs.create(thread, 'agent', { input })
  await agent.runs.join(thread, run)
  return {
    travel: { deployment, revision, assistant: 'agent', thread, asking: thread, run },
    orders: { deployment },
    billing: { deployment, failedRevision: revision },
  }
}

/** The dashboard of a real server, for tests with a browser. */
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Browser } from 'playwright-core'
import { ControlPlaneClient, type Revision } from '../../../client/src/client.ts'
import { deployFolder } from '../../../src/cli/deploy/deploy-folder.ts'
import { type RunningExample, startExample } from '../processes/example.ts'
import { startRunyard, type TestRunyard } from '../processes/runyard.ts'
import { startServeProcess } from '../processes/serve-process.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { startBrowser } from './browser.ts'
import { builtDashboard } from './dashboard-build.ts'
import { serveStudio } from './dashboard-site.ts'
import { DashboardVisitor } from './dashboard-visitor.ts'

const root = resolve(import.meta.dirname, '../../..')

export interface Dashboard {
  /** Of the app. */
  url: string
  runyard: TestRunyard
  /** The control plane with the admin key. */
  client: ControlPlaneClient
  /** Deploys a folder of the repository, as `test/fixtures/projects/echo`; answers its revision at its end. */
  deploy(name: string, folder: string): Promise<Revision>
  /** Makes a link that signs in once, for whoever has the key. Default: the admin. */
  link(key?: string): Promise<string>
  /** Somebody with a window of their own who has signed in with the key. Default: the admin. */
  visitor(key?: string): Promise<DashboardVisitor>
  /** Somebody who has not signed in. */
  stranger(): Promise<DashboardVisitor>
  stop(): Promise<void>
}

/** Starts a Runyard without the example agent; `env` is added. */
export async function startDashboard(
  options: { env?: Record<string, string> } = {},
): Promise<Dashboard> {
  await builtDashboard()
  const runyard = await startRunyard(options)
  const { url, adminKey } = runyard
  const client = new ControlPlaneClient({ url, apiKey: adminKey })
  const visitors = openVisitors(url)
  return {
    url,
    runyard,
    client,
    deploy(name, folder) {
      const { signal } = new AbortController()
      return deployFolder(client, { folder: resolve(root, folder), name, secrets: [], signal })
    },
    link: (key = adminKey) => makeLink(url, key),
    async visitor(key = adminKey) {
      const visitor = await visitors.come()
      await visitor.signIn(`${url}/v2/session`, key)
      return visitor
    },
    stranger: visitors.come,
    async stop() {
      await visitors.close()
      await runyard.stop()
    },
  }
}

export interface Studio {
  /** Of the app, with `/studio`. */
  url: string
  example: RunningExample
  visitor(): Promise<DashboardVisitor>
  /** Somebody who has not signed in. */
  stranger(): Promise<DashboardVisitor>
  stop(): Promise<void>
}

/** Starts `runyard serve` on an example. Visitors have signed in if it has keys (`RUNYARD_API_KEYS`). */
export async function startStudio(name: string, env: NodeJS.ProcessEnv = {}): Promise<Studio> {
  await builtDashboard()
  const example = await startExample(name, env)
  const url = `${example.url}/studio`
  const key = env.RUNYARD_API_KEYS?.split(',')[0]
  const visitors = openVisitors(url)
  return {
    url,
    example,
    async visitor() {
      const visitor = await visitors.come()
      if (key) await visitor.signIn(`${url}/session`, key)
      return visitor
    },
    stranger: visitors.come,
    async stop() {
      await visitors.close()
      await example.stop()
    },
  }
}

export interface ServedStudio {
  /** Of the app, with `/studio`. */
  url: string
  /** Of the agent server. */
  server: string
  visitor(): Promise<DashboardVisitor>
  stop(): Promise<void>
}

/** Starts `runyard serve` on a project of the repository, and the dashboard of that one agent server. */
export async function startStudioOf(config: string): Promise<ServedStudio> {
  const folder = await builtDashboard()
  const dataDir = temporaryFolder()
  const args = ['serve', '--config', config, '--port', '0', '--data-dir', dataDir]
  const server = await startServeProcess('bin/runyard', args, { cwd: root })
  const site = await serveStudio({ folder, server: server.url, key: '' })
  const visitors = openVisitors(site.url)
  return {
    url: site.url,
    server: server.url,
    visitor: visitors.come,
    async stop() {
      await visitors.close()
      await site.stop()
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function makeLink(url: string, key: string): Promise<string> {
  const response = await fetch(`${url}/v2/session/link`, {
    method: 'POST',
    headers: { 'x-api-key': key },
  })
  return ((await response.json()) as { url: string }).url
}

/** One browser for all of them, started when the first one comes. */
function openVisitors(url: string) {
  let browser: Promise<Browser> | undefined
  return {
    come: async () => {
      browser ??= startBrowser()
      return DashboardVisitor.come(await browser, url)
    },
    close: async () => (await browser)?.close(),
  }
}

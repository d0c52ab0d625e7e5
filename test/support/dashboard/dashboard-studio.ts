/** The Studio in front of one project of the repository, served by `runyard serve`. */
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Client } from '@langchain/langgraph-sdk'
import type { Browser } from 'playwright-core'
import { startServeProcess } from '../processes/serve-process.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { startBrowser } from './browser.ts'
import { builtDashboard } from './dashboard-build.ts'
import { serveStudio } from './dashboard-site.ts'
import { DashboardVisitor } from './dashboard-visitor.ts'

const root = resolve(import.meta.dirname, '../../..')

export interface ProjectStudio {
  /** The official client of the server behind it. */
  client: Client
  visitor(): Promise<DashboardVisitor>
  stop(): Promise<void>
}

/** `folder`: of the project, from the repository's root. */
export async function startProjectStudio(folder: string): Promise<ProjectStudio> {
  const data = temporaryFolder()
  const args = ['serve', '--config', `${folder}/langgraph.json`, '--port', '0', '--data-dir', data]
  const [app, server] = await Promise.all([
    builtDashboard(),
    startServeProcess('bin/runyard', args, { cwd: root }),
  ])
  const site = await serveStudio({ folder: app, server: server.url, key: '' })
  let browser: Promise<Browser> | undefined
  return {
    client: new Client({ apiUrl: server.url, apiKey: null }),
    visitor: async () => {
      browser ??= startBrowser()
      return DashboardVisitor.come(await browser, site.url)
    },
    async stop() {
      await (await browser)?.close()
      await site.stop()
      await server.stop()
      await rm(data, { recursive: true, force: true })
    },
  }
}

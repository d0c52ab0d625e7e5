// Measures how soon the dashboard shows an installation of many deployments, in a real Chromium: 105 deployments, of
// which 5 run and 100 sleep; one of them has 20,000 threads and runs.
//
//   drawn     from opening the page to its first full picture
//   busy      the processor time of the page's main thread for it
//   shift     the sum of all layout shifts in its first seconds, each as Chromium scores it
//   requests  how many requests it has sent by then
//   elements  how many elements it has
//
// `npm run many-deployments`, or `npm run many-deployments -- Operations` for some of the pages. The figures depend on
// the machine: it should have nothing else to do. PICTURES names a folder for a picture of each page.
import { randomUUID } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { fill, fillEndedRuns } from '../bench/filled.ts'
import { traced } from '../bench/trace.ts'
import { ControlPlaneClient } from '../client/src/client.ts'
import { deployFolder } from '../src/cli/deploy/deploy-folder.ts'
import { EMPTY_SAMPLE } from '../src/core/figures/sample.ts'
import { readKeys } from '../src/main/installation/key-file.ts'
import { createSecretBox } from '../src/storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../src/storage/control-plane/store.ts'
import { startBrowser } from '../test/support/dashboard/browser.ts'
import { builtDashboard } from '../test/support/dashboard/dashboard-build.ts'
import { DashboardVisitor } from '../test/support/dashboard/dashboard-visitor.ts'
import { layoutShifts, recordShifts } from '../test/support/dashboard/layout-shifts.ts'
import { startRunyard } from '../test/support/processes/runyard.ts'

const PROJECT = resolve(import.meta.dirname, '../test/fixtures/projects/echo')
const RUNNING = 5
const ASLEEP = 100
const RUNS = 20_000
/** How many steps of the last hour have figures of a sleeping deployment. */
const STEPS = 20
const STEP_MS = 30_000
/** How long layout shifts are added up, in ms. */
const SETTLE_MS = 6_000
const ENV = { RUNYARD_IDLE_SECS: '3600' }

interface Shown {
  path: string
  /** Settles when the page shows what it is opened for. */
  isDrawn(page: Page): Promise<unknown>
}

const wanted = process.argv.slice(2)
await builtDashboard()
const { dataDir, id } = await deployRunning()
await addSleeping(dataDir, id)
await fill(join(dataDir, 'deployments', id, 'agent.db'), (db) =>
  fillEndedRuns(db, RUNS, Date.now()),
)
await measure(dataDir)

/** Deploys real ones, and stops. Returns the data folder, and the id of the first. */
async function deployRunning(): Promise<{ dataDir: string; id: string }> {
  const runyard = await startRunyard({ env: ENV })
  const client = new ControlPlaneClient({ url: runyard.url, apiKey: runyard.adminKey })
  const { signal } = new AbortController()
  for (let at = 0; at < RUNNING; at += 1)
    await deployFolder(client, { folder: PROJECT, name: `running-${at}`, secrets: [], signal })
  const { id = '' } = (await client.findDeployment('running-0')) ?? {}
  await runyard.halt()
  return { dataDir: runyard.dataDir, id }
}

/** Copies the deployment with its revision as ones that sleep, each with some figures. */
async function addSleeping(dataDir: string, id: string): Promise<void> {
  const [key, ...older] = readKeys(join(dataDir, 'encryption.key'))
  if (!key) throw new Error('The installation has no encryption key.')
  const store = await openControlPlaneStore(
    join(dataDir, 'control-plane.db'),
    createSecretBox(key, older),
  )
  const deployment = await store.deployments.get(id)
  const revision = await store.revisions.get(id, deployment?.active_revision_id ?? '')
  if (!deployment || !revision) throw new Error('The deployment does not serve.')
  const asleep_since = new Date().toISOString()
  const first = Math.floor(Date.now() / STEP_MS) * STEP_MS - STEPS * STEP_MS
  for (let at = 0; at < ASLEEP; at += 1) {
    const copy = randomUUID()
    const active_revision_id = randomUUID()
    const name = `asleep-${String(at).padStart(3, '0')}`
    const none = { latest_revision_id: null, active_revision_id: null }
    await store.deployments.insert({ ...deployment, ...none, id: copy, name })
    const { number: _, steps: __, ...made } = revision
    await store.revisions.insert({ ...made, id: active_revision_id, deployment_id: copy })
    const { updated_at } = deployment
    await store.deployments.update(copy, { active_revision_id, asleep_since, updated_at })
    const sample = { ...EMPTY_SAMPLE, seconds: 30, servers: 1, requests: { 200: 2 + at } }
    const steps = Array.from({ length: STEPS }, (_, step) => first + step * STEP_MS)
    await store.figures.add(steps.map((moment) => ({ deployment_id: copy, at: moment, sample })))
  }
  await store.close()
}

async function measure(dataDir: string): Promise<void> {
  const runyard = await startRunyard({ dataDir, env: ENV })
  const browser = await startBrowser()
  try {
    const visitor = await DashboardVisitor.come(browser, runyard.url)
    await visitor.signIn(`${runyard.url}/v2/session`, runyard.adminKey)
    await recordShifts(visitor.page)
    let requests = 0
    visitor.page.on('request', () => {
      requests += 1
    })
    const client = new ControlPlaneClient({ url: runyard.url, apiKey: runyard.adminKey })
    const { id = '' } = (await client.findDeployment('running-0')) ?? {}
    // The scripts are in the browser's cache from then on.
    for (const { path } of Object.values(pages(id))) {
      await visitor.open(path)
      await visitor.drawn()
    }
    for (const [name, { path, isDrawn }] of Object.entries(pages(id))) {
      if (wanted.length > 0 && !wanted.includes(name)) continue
      await visitor.open('/settings')
      await visitor.settled()
      requests = 0
      const { cpuMs, tookMs } = await traced(browser, visitor.page, async () => {
        await visitor.open(path)
        await isDrawn(visitor.page)
      })
      await visitor.page.waitForTimeout(SETTLE_MS)
      const { score, larger } = await layoutShifts(visitor.page)
      const elements = await visitor.page.locator('*').count()
      console.log(
        `${name.padEnd(14)} drawn ${(tookMs / 1_000).toFixed(2)} s   shift ${score.toFixed(3)}` +
          `   busy ${(cpuMs / 1_000).toFixed(2)} s   requests ${requests}   elements ${elements}`,
      )
      for (const one of larger) console.log(`  ${one}`)
      await visitor.pictures(name.toLowerCase().replaceAll(' ', '-'))
    }
    for (const problem of visitor.problems) console.log(problem)
  } finally {
    await browser.close()
    await runyard.stop()
  }
}

function pages(id: string): Record<string, Shown> {
  const row = (page: Page, grid: string, text: RegExp) =>
    page
      .getByRole('grid', { name: grid })
      .getByRole('row')
      .filter({ hasText: text })
      .first()
      .waitFor()
  return {
    Home: { path: '/', isDrawn: (page) => row(page, 'Deployments', /Serving|Asleep/) },
    Deployments: {
      path: '/deployments',
      isDrawn: (page) => row(page, 'Deployments', /Asleep.*\d/),
    },
    'A deployment': {
      path: `/deployments/${id}`,
      isDrawn: (page) => row(page, 'Latest revisions', /Serving/),
    },
    Operations: {
      path: '/operations',
      isDrawn: (page) => row(page, 'Deployments', /asleep-/),
    },
    Runs: { path: '/runs', isDrawn: (page) => row(page, 'Runs', /Done|Failed/) },
  }
}

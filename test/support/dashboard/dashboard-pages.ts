/** Every page of the dashboard, with an address that shows something, and what opens on some of them. */
import type { Page } from 'playwright-core'
import type { LivedIn } from './lived-in.ts'

interface DashboardPage {
  /** Of its pictures. */
  name: string
  /** As `dashboard/src/routes.tsx` has it, from the root on. */
  route: string
  path: (at: LivedIn) => string
  /** For pictures: waits for what comes late, or opens something. */
  open?: (page: Page) => Promise<void>
}

type DashboardView = Omit<DashboardPage, 'route'>

const DEPLOYMENT = '/deployments/$deployment'
const travel = ({ travel: { deployment } }: LivedIn) => `/deployments/${deployment}`
const orders = ({ orders: { deployment } }: LivedIn) => `/deployments/${deployment}`
const billing = ({ billing: { deployment } }: LivedIn) => `/deployments/${deployment}`

export const DASHBOARD_PAGES: readonly DashboardPage[] = [
  { name: 'sign-in', route: '/sign-in', path: () => '/sign-in' },
  {
    name: 'home',
    route: '/',
    path: () => '/',
    // The first figures of a deployment come some seconds after it.
    open: async (page) => {
      await page.getByText('one thread waits').waitFor()
      await page.getByText('3 threads wait').waitFor()
    },
  },
  { name: 'all-threads', route: '/threads', path: () => '/threads' },
  { name: 'deployments', route: '/deployments', path: () => '/deployments' },
  { name: 'new-deployment', route: '/deployments/new', path: () => '/deployments/new' },
  { name: 'overview', route: DEPLOYMENT, path: travel },
  { name: 'revisions', route: `${DEPLOYMENT}/revisions`, path: (at) => `${billing(at)}/revisions` },
  {
    name: 'revision',
    route: `${DEPLOYMENT}/revisions/$revision`,
    path: (at) => `${billing(at)}/revisions/${at.billing.failedRevision}`,
  },
  { name: 'logs', route: `${DEPLOYMENT}/logs`, path: (at) => `${travel(at)}/logs` },
  {
    name: 'deployment-settings',
    route: `${DEPLOYMENT}/settings`,
    path: (at) => `${travel(at)}/settings`,
  },
  { name: 'assistants', route: `${DEPLOYMENT}/studio`, path: (at) => `${travel(at)}/studio` },
  {
    name: 'studio',
    route: `${DEPLOYMENT}/studio/$assistant`,
    path: (at) => `${travel(at)}/studio/${at.travel.assistant}?thread=${at.travel.asking}`,
  },
  {
    name: 'studio-compare',
    route: `${DEPLOYMENT}/studio/$assistant/compare`,
    path: (at) => {
      const { assistant, thread, run, asking } = at.travel
      return `${travel(at)}/studio/${assistant}/compare?left=${thread}/run/${run}&right=${asking}`
    },
  },
  { name: 'threads', route: `${DEPLOYMENT}/threads`, path: (at) => `${travel(at)}/threads` },
  {
    name: 'thread',
    route: `${DEPLOYMENT}/threads/$thread`,
    path: (at) => `${travel(at)}/threads/${at.travel.thread}`,
  },
  { name: 'runs', route: `${DEPLOYMENT}/runs`, path: (at) => `${travel(at)}/runs` },
  {
    name: 'run',
    route: `${DEPLOYMENT}/threads/$thread/runs/$run`,
    path: (at) => `${travel(at)}/threads/${at.travel.thread}/runs/${at.travel.run}`,
  },
  { name: 'all-runs', route: '/runs', path: () => '/runs' },
  { name: 'crons', route: '/crons', path: () => '/crons' },
  { name: 'webhooks', route: '/webhooks', path: () => '/webhooks' },
  { name: 'store', route: '/store', path: () => '/store' },
  { name: 'connections', route: '/connections', path: () => '/connections' },
  {
    name: 'operations',
    route: '/operations',
    path: () => '/operations',
    open: (page) => page.getByText('1 failed').first().waitFor(),
  },
  { name: 'settings', route: '/settings', path: () => '/settings' },
  ...['keys', 'people', 'sessions', 'workspaces', 'listeners', 'audit', 'encryption'].map(
    (view) => ({
      name: `settings-${view}`,
      route: '/settings/$view',
      path: () => `/settings/${view}`,
    }),
  ),
]

/** Dialogs, and pages of which another state has to be seen. */
export const DASHBOARD_VIEWS: readonly DashboardView[] = [
  {
    name: 'deployment-settings-public',
    path: (at) => `${orders(at)}/settings`,
    open: (page) => page.getByText('share its threads').waitFor(),
  },
  {
    name: 'deployment-settings-make-public',
    path: (at) => `${travel(at)}/settings`,
    open: (page) => page.getByRole('switch', { name: /^Public/ }).press('Space'),
  },
  {
    name: 'domain-add',
    path: (at) => `${travel(at)}/settings`,
    open: (page) => press(page, 'Add a domain'),
  },
  {
    name: 'domain-certificate',
    path: (at) => `${travel(at)}/settings`,
    open: (page) => choose(page, 'Actions for travel.example.org', 'Set a certificate'),
  },
  {
    name: 'domain-removal',
    path: (at) => `${travel(at)}/settings`,
    open: (page) => choose(page, 'Actions for travel.example.org', 'Remove the domain'),
  },
  {
    name: 'studio-canvas',
    path: (at) =>
      `${travel(at)}/studio/${at.travel.assistant}?thread=${at.travel.asking}&canvas=true`,
  },
  {
    name: 'studio-compare-threads',
    path: (at) => `${travel(at)}/studio/${at.travel.assistant}/compare?left=${at.travel.asking}`,
    open: (page) => page.getByRole('combobox', { name: 'Thread' }).focus(),
  },
  {
    name: 'crons-new',
    path: (at) => `/crons?deployment=${at.orders.deployment}`,
    open: (page) => press(page, 'New cron'),
  },
  {
    name: 'store-new',
    path: (at) => `/store?deployment=${at.orders.deployment}`,
    open: (page) => press(page, 'New item'),
  },
  {
    name: 'settings-keys-new',
    path: () => '/settings/keys',
    open: (page) => press(page, 'New key'),
  },
  {
    name: 'palette',
    path: () => '/',
    open: async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'help',
    path: () => '/deployments',
    open: async (page) => {
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
    },
  },
]

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).click()
}

async function choose(page: Page, menu: string, item: string): Promise<void> {
  await press(page, menu)
  await page.getByRole('menuitem', { name: item }).click()
}

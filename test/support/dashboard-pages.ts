/** Every page of the dashboard, with an address that shows something. */
import type { LivedIn } from './lived-in.ts'

interface DashboardPage {
  /** Of its pictures. */
  name: string
  /** As `dashboard/src/routes.tsx` has it, from the root on. */
  route: string
  path: (at: LivedIn) => string
}

const DEPLOYMENT = '/deployments/$deployment'
const travel = ({ travel: { deployment } }: LivedIn) => `/deployments/${deployment}`
const billing = ({ billing: { deployment } }: LivedIn) => `/deployments/${deployment}`

export const DASHBOARD_PAGES: readonly DashboardPage[] = [
  { name: 'sign-in', route: '/sign-in', path: () => '/sign-in' },
  { name: 'home', route: '/', path: () => '/' },
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
  { name: 'crons', route: '/crons', path: (at) => `/crons?deployment=${at.orders.deployment}` },
  { name: 'webhooks', route: '/webhooks', path: () => '/webhooks' },
  { name: 'store', route: '/store', path: (at) => `/store?deployment=${at.orders.deployment}` },
  { name: 'connections', route: '/connections', path: () => '/connections' },
  { name: 'operations', route: '/operations', path: () => '/operations' },
  { name: 'settings', route: '/settings', path: () => '/settings' },
  ...['keys', 'people', 'sessions', 'workspaces', 'listeners', 'audit', 'encryption'].map(
    (view) => ({
      name: `settings-${view}`,
      route: '/settings/$view',
      path: () => `/settings/${view}`,
    }),
  ),
]

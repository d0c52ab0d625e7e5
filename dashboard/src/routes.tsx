/**
 * Every address of the app, in one table. Each page is loaded when it is first opened. The pages of one
 * agent server (Studio, threads, runs, crons, store) lie below a deployment here, and at the root where
 * the page shows one agent server by itself.
 */
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { BASE_PATH, MODE } from './api/mode.ts'
import { FailedPage, NotFoundPage } from './shell/failed-page.tsx'
import { Shell } from './shell/shell.tsx'

/** Its own pages have no shell around them. */
const root = createRootRoute({
  notFoundComponent: () => (
    <main>
      <NotFoundPage />
    </main>
  ),
  errorComponent: (props) => (
    <main>
      <FailedPage {...props} />
    </main>
  ),
})

const signIn = page(root, 'sign-in', () => import('./shell/sign-in/page.tsx'), 'SignInPage')

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell })

/** The pages of one agent server, below a route that names the server. */
function agentPages(parent: AnyRoute) {
  return [
    page(parent, 'studio', () => import('./studio/assistants-page.tsx'), 'AssistantsPage'),
    page(parent, 'studio/$assistant', () => import('./studio/studio-page.tsx'), 'StudioPage'),
    page(
      parent,
      'studio/$assistant/compare',
      () => import('./studio/compare/compare-page.tsx'),
      'ComparePage',
    ),
    page(parent, 'threads', () => import('./threads/threads-page.tsx'), 'ThreadsPage'),
    page(parent, 'threads/$thread', () => import('./threads/thread-page.tsx'), 'ThreadPage'),
    page(parent, 'threads/$thread/runs/$run', () => import('./runs/run-page.tsx'), 'RunPage'),
    page(parent, 'runs', () => import('./runs/runs-pages.tsx'), 'RunsPage'),
  ]
}

function controlPlanePages() {
  const deployment = createRoute({
    getParentRoute: () => shell,
    path: 'deployments/$deployment',
    component: lazyRouteComponent(
      () => import('./deployments/deployment-layout.tsx'),
      'DeploymentLayout',
    ),
  })
  const of = () => import('./deployments/overview-page.tsx')
  const inDeployment = [
    page(deployment, '/', of, 'OverviewPage'),
    page(
      deployment,
      'revisions',
      () => import('./deployments/revisions-page.tsx'),
      'RevisionsPage',
    ),
    page(
      deployment,
      'revisions/$revision',
      () => import('./deployments/revision-page.tsx'),
      'RevisionPage',
    ),
    page(deployment, 'logs', () => import('./deployments/logs-page.tsx'), 'LogsPage'),
    page(deployment, 'settings', () => import('./deployments/settings-page.tsx'), 'SettingsPage'),
    ...agentPages(deployment),
  ]
  return [
    page(shell, '/', () => import('./home/home-page.tsx'), 'HomePage'),
    page(
      shell,
      'deployments',
      () => import('./deployments/deployments-page.tsx'),
      'DeploymentsPage',
    ),
    page(shell, 'deployments/new', () => import('./deployments/new-page.tsx'), 'NewDeploymentPage'),
    deployment.addChildren(inDeployment),
    page(shell, 'threads', () => import('./threads/threads-page.tsx'), 'AllThreadsPage'),
    page(shell, 'runs', () => import('./runs/runs-pages.tsx'), 'AllRunsPage'),
    page(shell, 'crons', () => import('./crons/crons-page.tsx'), 'CronsPage'),
    page(shell, 'webhooks', () => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
    page(shell, 'store', () => import('./store/store-page.tsx'), 'StorePage'),
    page(
      shell,
      'connections',
      () => import('./connections/connections-page.tsx'),
      'ConnectionsPage',
    ),
    page(shell, 'operations', () => import('./operations/operations-page.tsx'), 'OperationsPage'),
    page(shell, 'settings', () => import('./settings/settings-page.tsx'), 'SettingsPage'),
    page(shell, 'settings/$view', () => import('./settings/settings-page.tsx'), 'SettingsPage'),
  ]
}

function oneServerPages() {
  const server = createRoute({
    getParentRoute: () => shell,
    id: 'server',
    component: lazyRouteComponent(() => import('./studio/server-layout.tsx'), 'ServerLayout'),
  })
  return [
    server.addChildren([
      page(server, '/', () => import('./studio/assistants-page.tsx'), 'AssistantsPage'),
      page(server, 'crons', () => import('./crons/crons-page.tsx'), 'CronsPage'),
      page(server, 'store', () => import('./store/store-page.tsx'), 'StorePage'),
      ...agentPages(server),
    ]),
  ]
}

/** `name`: the component that the file exports. */
function page<Name extends string, Module extends Record<Name, () => React.ReactNode>>(
  parent: AnyRoute,
  path: string,
  load: () => Promise<Module>,
  name: Name,
) {
  return createRoute({
    getParentRoute: () => parent,
    path,
    component: lazyRouteComponent(load, name),
    notFoundComponent: NotFoundPage,
    errorComponent: FailedPage,
  })
}

const pages = MODE === 'control-plane' ? controlPlanePages() : oneServerPages()

export const router = createRouter({
  routeTree: root.addChildren([signIn, shell.addChildren(pages)]),
  basepath: BASE_PATH,
  defaultPreload: 'intent',
  scrollRestoration: true,
})

/** The dashboard of `up`: its pages, and in a clone its build. */

import type { Log } from '../core/log.ts'
import { type AnswerPage, createDashboard } from '../http/dashboard/app.ts'
import { DashboardBuild, findDashboard, type Home } from '../http/dashboard/build.ts'
import type { Started } from '../process/started.ts'
import type { UpConfig } from '../settings/config.ts'

/** Paths of the control plane and the gateway; every other path may be a page. */
const API_PATHS = [
  '/v1',
  '/v2',
  '/api-host',
  '/agents',
  '/docs',
  '/ok',
  '/openapi.json',
  '/metrics',
]

interface Dashboard {
  /** Absent: turned off. */
  pages: AnswerPage | undefined
  /** Builds it if needed. */
  build(): void
  /** As `DashboardBuild.whenThere`. */
  whenThere(): Promise<void>
}

export function openDashboard(
  { isDashboardWanted }: Pick<UpConfig, 'isDashboardWanted'>,
  { started, log, home = findDashboard() }: { started: Started; log: Log; home?: Home },
): Dashboard {
  if (!isDashboardWanted) return { pages: undefined, build: () => {}, whenThere: async () => {} }
  const build = new DashboardBuild(home, log)
  started.add('dashboard', () => build.stop())
  const pages = createDashboard({
    folder: home.folder,
    mode: 'control-plane',
    mount: '',
    apiPaths: API_PATHS,
    absence: () => build.absence,
  })
  return { pages, build: () => build.start(), whenThere: () => build.whenThere() }
}

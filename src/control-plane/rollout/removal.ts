/** Takes a deployment away, all of it. Every step may be done again: a crash leaves it to the next. */
import type { Builder } from '../../core/deployment/build.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { RevisionLogs } from '../../core/deployment/revision-log.ts'
import type { Log } from '../../core/log.ts'
import type { Builds } from './builds.ts'
import type { Runtimes } from './runtimes.ts'
import type { Serving } from './serving.ts'

export interface RemovalOptions {
  store: ControlPlaneStore
  builder: Builder
  logs: RevisionLogs
  removeData: (deployment_id: string) => Promise<void>
  builds: Builds
  runtimes: Runtimes
  serving: Serving
  log: Log
}

const PAGE = 100

/** The rows go last: as long as they are there, the deployment is AWAITING_DELETE and found again. */
export async function removeDeployment(
  deployment: Deployment,
  options: RemovalOptions,
): Promise<void> {
  options.serving.remove(deployment)
  await options.builds.abort(deployment.id)
  await options.runtimes.endAll(deployment.id)
  await removeBuildsAndLogs(deployment.id, options)
  await options.builder.removeKept(deployment.id)
  await options.removeData(deployment.id)
  await options.store.deployments.delete(deployment.id)
  options.log.info({ deployment: deployment.name }, 'deployment removed')
}

async function removeBuildsAndLogs(deployment_id: string, options: RemovalOptions): Promise<void> {
  for (let offset = 0; ; offset += PAGE) {
    const page = await options.store.revisions.list(deployment_id, { limit: PAGE, offset })
    for (const { id } of page) {
      await options.builder.remove(id)
      await options.logs.remove(id)
    }
    if (page.length < PAGE) return
  }
}

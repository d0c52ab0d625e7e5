/** Takes a deployment away, all of it. Every step may be done again: a crash leaves it to the next. */
import type { Builder } from '../../core/deployment/build.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { Deployment } from '../../core/deployment/deployment.ts'
import type { RevisionLogs } from '../../core/deployment/revision-log.ts'
import type { RuntimeDriver } from '../../core/deployment/runtime.ts'
import type { TargetTable } from '../../core/deployment/target.ts'
import type { Log } from '../../core/log.ts'
import type { Builds } from './builds.ts'

interface RemovalOptions {
  store: ControlPlaneStore
  builder: Builder
  logs: RevisionLogs
  removeData: (deployment_id: string) => Promise<void>
  builds: Builds
  driver: RuntimeDriver
  targets: TargetTable
  limits: { stopGraceMs: number }
  log: Log
}

const PAGE = 100

/** The rows go last: as long as they are there, the deployment is AWAITING_DELETE and found again. */
export async function removeDeployment(
  deployment: Deployment,
  options: RemovalOptions,
): Promise<void> {
  options.targets.remove(deployment.name)
  await options.builds.abort(deployment.id)
  await endAll(deployment.id, options)
  await removeBuildsAndLogs(deployment.id, options)
  await options.builder.removeKept(deployment.id)
  await options.removeData(deployment.id)
  await options.store.deployments.delete(deployment.id)
  options.log.info({ deployment: deployment.name }, 'deployment removed')
}

/** Nobody is waited for: not even what drains already. */
async function endAll(
  deployment_id: string,
  { driver, limits: { stopGraceMs } }: RemovalOptions,
): Promise<void> {
  await Promise.all(driver.revisionsOf(deployment_id).map((id) => driver.stop(id, stopGraceMs)))
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

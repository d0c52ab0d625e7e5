/** When a deployment may need a step although nothing has changed. */
import { hasFailed, type ObservedDeployment, runningActive } from './observed.ts'
import { quietSince } from './sleep.ts'

/** The next such moment, in ms since 1970; `null`: none. */
export function nextMoment(deployment: ObservedDeployment): number | null {
  const moments = [
    ...whenWoken(deployment),
    ...whenTriedAgain(deployment),
    ...whenFewer(deployment),
  ]
  const { idleMs, deployTimeoutMs } = deployment.limits
  const quiet = quietSince(deployment)
  if (quiet !== undefined) moments.push(quiet + idleMs)
  for (const { status, since } of deployment.line) {
    if (status === 'DEPLOYING') moments.push(since + deployTimeoutMs)
  }
  const ahead = moments.filter((moment) => moment > deployment.now)
  return ahead.length > 0 ? Math.min(...ahead) : null
}

function whenWoken({ isAsleep, wakeAt }: ObservedDeployment): number[] {
  return isAsleep && wakeAt !== null ? [wakeAt] : []
}

function whenTriedAgain(deployment: ObservedDeployment): number[] {
  const active = runningActive(deployment)
  return active && hasFailed(active) && deployment.timers.retry ? [deployment.timers.retry.at] : []
}

/** A surplus agent server is removed after a calm while. */
function whenFewer(deployment: ObservedDeployment): number[] {
  const active = runningActive(deployment)
  if (active?.runtime.kind !== 'healthy' || deployment.timers.pressedAt === null) return []
  const isMore = active.replicas.length > Math.max(1, active.limits.min)
  return isMore ? [deployment.timers.pressedAt + deployment.limits.calmMs] : []
}

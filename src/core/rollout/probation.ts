/** The first minute of a revision: if its agent server dies in it, the one before takes over again. */
import type { ActiveRevision } from './observed.ts'

/**
 * How the active revision died, if it died too soon after it was deployed. A redeployed revision is not taken back: it
 * has served before, so the cause lies elsewhere.
 */
export function deathOnProbation(
  active: Pick<ActiveRevision, 'status' | 'built_from' | 'deployed_at' | 'replicas'>,
  now: number,
  probationMs: number,
): string | undefined {
  const { status, built_from, deployed_at, replicas } = active
  if (status !== 'DEPLOYED' || built_from !== null || deployed_at === null) return undefined
  if (now - Date.parse(deployed_at) >= probationMs) return undefined
  // While it starts, also after a sleep, its `reason` is a step and not a death.
  return replicas.find(({ state, reason }) => state !== 'starting' && reason)?.reason ?? undefined
}

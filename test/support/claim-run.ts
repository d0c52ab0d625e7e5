/** Claiming one run, where a test wants no more. */
import type { AgentStore } from '../../src/core/agent-store.ts'
import type { Claim, ClaimedRun } from '../../src/core/run.ts'

/** The next run that can be claimed; `undefined` when there is none. */
export async function claimRun(
  store: Pick<AgentStore, 'runs'>,
  claim: Claim,
): Promise<ClaimedRun | undefined> {
  const [claimed] = await store.runs.claim(claim, 1)
  return claimed
}

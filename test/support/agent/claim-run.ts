/** Claiming one run, where a test wants no more. */
import type { AgentStore } from '../../../src/core/agent/agent-store.ts'
import { MAX_RUN_ATTEMPTS } from '../../../src/core/agent/retry.ts'
import type { Claim, ClaimedRun } from '../../../src/core/agent/run.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { eventually } from '../eventually.ts'

/** The next run that can be claimed; `undefined` when there is none. */
export async function claimRun(
  store: Pick<AgentStore, 'runs'>,
  claim: Claim,
): Promise<ClaimedRun | undefined> {
  const [claimed] = await store.runs.claim(claim, 1)
  return claimed
}

/** Leaves the next run as servers do that die whenever they have claimed it. */
export async function useUpAttempts(store: Pick<AgentStore, 'runs'>): Promise<void> {
  for (let attempt = 1; attempt <= MAX_RUN_ATTEMPTS; attempt += 1) {
    const now = systemClock.now()
    const claim = { server_id: 'gone', now, lease_expires_at: now - 1 }
    // A server that runs may be about to release it.
    await eventually(() => claimRun(store, claim)).toBeDefined()
    if (attempt < MAX_RUN_ATTEMPTS) await store.runs.release({ now, dead_servers: [] })
  }
}

/** The checkpoints of a run that emits nothing: each put is stored under the lease before its caller continues. */

import {
  RunCheckpoints,
  TakenEmissions,
} from '../../../src/agent-server/execution/run-checkpoints.ts'
import type { AgentStore } from '../../../src/core/agent/agent-store.ts'
import type { Lease } from '../../../src/core/agent/run.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { silentLog } from '../../../src/core/log.ts'
import { EventLog } from '../../../src/stream/event-log.ts'

export function runCheckpointsOf(
  store: AgentStore,
  of: { lease: Lease; thread_id: string; isNewThread?: boolean },
): RunCheckpoints {
  const { lease, thread_id } = of
  const events = new EventLog({ store, isLocal: () => true, clock: systemClock, log: silentLog })
  const log = events.openRun({ thread_id, run_id: lease.run_id, lease })
  const emissions = new TakenEmissions()
  return new RunCheckpoints({ store: store.checkpoints, log, emissions, isAwaited: true, ...of })
}

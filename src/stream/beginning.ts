/** The first event of a run of the protocol. */
import type { NewEvent } from '../core/agent/event.ts'
import { protocolEventName } from '../core/agent/protocol.ts'
import type { Run } from '../core/agent/run.ts'

const RUNNING = protocolEventName({ channel: 'lifecycle', namespace: [] })

/** Says that the run is running. `now`: ms since 1970. */
export function protocolBeginning(
  { run_id, metadata }: Pick<Run, 'run_id' | 'metadata'>,
  now: number,
): NewEvent {
  const data = { event: 'running', graph_name: String(metadata.graph_id), run_id }
  return { event: RUNNING, data: JSON.stringify({ namespace: [], timestamp: now, data }) }
}

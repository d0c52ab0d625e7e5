/** The options of LangGraph's `stream` for a run. */
import type { GraphRunRequest, HostMode } from '../../../core/agent/host/run.ts'

/** Used together with the config that the graph was opened with. */
export function streamOptions(
  request: GraphRunRequest,
  signal: AbortSignal,
): { runId: string; [option: string]: unknown } {
  const { run_id, modes, interrupt_before, interrupt_after, durability } = request
  const streamMode = [...new Set(modes.flatMap((mode) => GRAPH_MODES[mode]))]
  return {
    runId: run_id,
    signal,
    streamMode,
    subgraphs: request.subgraphs || modes.includes('lifecycle'),
    // With a version, LangGraph emits checkpoints beside the values.
    ...(modes.includes('places') && { version: 'v2' }),
    ...(interrupt_before && { interruptBefore: interrupt_before }),
    ...(interrupt_after && { interruptAfter: interrupt_after }),
    ...(durability && { durability }),
    context: request.context,
    ...(!streamMode.includes('custom') && { writer: tellNobody }),
  }
}

/**
 * Does what LangGraph's own writer does if `custom` was not requested. LangGraph assigns its own to a property, which
 * keeps the whole run alive through the short garbage collections (`js/patches/promise-race.ts`).
 */
function tellNobody(): void {}

/**
 * LangGraph's modes for the port's. `messages` needs the values too: they show which messages are complete. `lifecycle`
 * needs the tasks: a subgraph begins with its first. `events` are no mode of LangGraph: its callbacks supply them.
 */
const GRAPH_MODES: Readonly<Record<HostMode, readonly string[]>> = {
  values: ['values'],
  updates: ['updates'],
  custom: ['custom'],
  debug: ['debug'],
  tasks: ['tasks'],
  checkpoints: ['checkpoints'],
  tools: ['tools'],
  events: [],
  messages: ['messages', 'values'],
  'messages-tuple': ['messages'],
  lifecycle: ['tasks'],
  places: [],
  model_ends: [],
  transformers: [],
}

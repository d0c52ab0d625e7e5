/** The options of LangGraph's `stream` for a run, and a command that it takes for what it is. */
import type { GraphRunRequest, HostMode } from '../../../core/agent/host/run.ts'
import type { RunCommand } from '../../../core/agent/run.ts'
import type { Graph } from '../langgraph/graph.ts'

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
    ...(!streamMode.includes('custom') && { writer: ignoreCustom }),
  }
}

/**
 * Does what LangGraph's own writer does if `custom` was not requested. LangGraph assigns its own to a property, which
 * keeps the whole run alive through the short garbage collections (`js/patches/promise-race.ts`).
 */
function ignoreCustom(): void {}

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

/**
 * The command; the answer gets its question's id if needed and exactly one question is open. `config`: the run's.
 * LangGraph for JavaScript treats an answer of `false`, `0` or `''` as missing, and fails the run for its empty input.
 * It accepts the same answer under the id of its question; LangGraph for Python accepts it without.
 */
export async function withNamedAnswer(
  graph: Pick<Graph, 'getState'>,
  command: RunCommand,
  config: object,
): Promise<RunCommand> {
  const { resume } = command
  if (resume !== false && resume !== 0 && resume !== '') return command
  const { tasks } = await graph.getState(config)
  const [open, ...others] = tasks.flatMap(({ interrupts = [] }) => interrupts)
  return open?.id === undefined || others.length > 0
    ? command
    : { ...command, resume: { [open.id]: resume } }
}

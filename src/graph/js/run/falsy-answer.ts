/**
 * LangGraph for JavaScript treats an answer of `false`, `0` or `''` as missing, and fails the run for its empty input.
 * It accepts the same answer under the id of its question; LangGraph for Python accepts it without.
 */
import type { RunCommand } from '../../../core/agent/run.ts'
import type { Graph } from '../langgraph/graph.ts'

/** The command; the answer gets its question's id if needed and exactly one question is open. `config`: the run's. */
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

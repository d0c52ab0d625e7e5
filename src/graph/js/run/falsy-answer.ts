/**
 * LangGraph for JavaScript takes an answer of `false`, `0` or `''` for none, and fails the run for its empty input. It takes
 * the same answer beside the id of the question that it is for, as LangGraph for Python takes it by itself.
 */
import type { RunCommand } from '../../../core/agent/run.ts'
import type { Graph } from '../langgraph/graph.ts'

/** The command, its answer named where that is needed and one question alone is open. `config`: the run's. */
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

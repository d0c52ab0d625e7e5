/** Runs that choose the LangSmith project for their trace. */
import type { JsonObject } from '../../../core/json.ts'
import { importFor } from '../modules/loader.ts'

export const TRACER_MODULE = '@langchain/core/tracers/tracer_langchain'

/** A tracer of the project's own `@langchain/core`. */
type TracerClass = new (fields?: {
  replicas?: [project: string, updates: object | undefined][]
}) => object

/**
 * The callbacks for a run whose `configurable` names a `langsmith_project` (and, for evaluations, a
 * `langsmith_example_id`): its trace goes there and to the `usual` project, which is that of the environment, as the
 * official server has it. None: the run names no project, and tracing goes its usual way. `file` is
 * the graph's.
 */
export async function langSmithCallbacks(
  file: string,
  { langsmith_project, langsmith_example_id }: JsonObject,
  usual: string,
): Promise<unknown[]> {
  if (typeof langsmith_project !== 'string' || langsmith_project === '') return []
  const module = await importFor(file, TRACER_MODULE)
  const { LangChainTracer } = module as { LangChainTracer: TracerClass }
  const updates =
    typeof langsmith_example_id === 'string' ? { reference_example_id: langsmith_example_id } : {}
  return [
    new LangChainTracer({
      replicas: [
        [langsmith_project, updates],
        [usual, undefined],
      ],
    }),
  ]
}

import { Annotation, type LangGraphRunnableConfig, START, StateGraph } from '@langchain/langgraph'

const Haiku = Annotation.Root({ about: Annotation<string>, lines: Annotation<string[]> })

/** The season is a header of the request, which `configurable_headers` lets through. */
export const graph = new StateGraph(Haiku)
  .addNode('write', ({ about }, { configurable = {} }: LangGraphRunnableConfig) => ({
    lines: [`The ${configurable['x-season'] ?? 'winter'} wind turns`, about, 'and is gone again'],
  }))
  .addEdge(START, 'write')
  .compile()

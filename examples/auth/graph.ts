import { Annotation, type LangGraphRunnableConfig, START, StateGraph } from '@langchain/langgraph'

const Diary = Annotation.Root({
  entry: Annotation<string>,
  pages: Annotation<string[]>({ reducer: (pages, more) => pages.concat(more), default: () => [] }),
})

/** A graph knows whose run it is without being told by the client. */
export const graph = new StateGraph(Diary)
  .addNode('write', ({ entry }, { configurable = {} }: LangGraphRunnableConfig) => {
    const { identity } = configurable.langgraph_auth_user as { identity: string }
    return { pages: [`${identity}: ${entry}`] }
  })
  .addEdge(START, 'write')
  .compile()

import { randomUUID } from 'node:crypto'
import {
  Annotation,
  END,
  type LangGraphRunnableConfig,
  START,
  StateGraph,
} from '@langchain/langgraph'

const State = Annotation.Root({
  user: Annotation<string>,
  remember: Annotation<string | undefined>,
  question: Annotation<string | undefined>,
  answer: Annotation<string>,
})

type Node = (state: typeof State.State, config: LangGraphRunnableConfig) => Promise<object>

/** Each user has a namespace; what is kept there outlives the thread. */
const remember: Node = async ({ user, remember: text }, { store }) => {
  await store?.put(['memories', user], randomUUID(), { text })
  return { answer: 'I will remember that.' }
}

const recall: Node = async ({ user, question }, { store }) => {
  const found = await store?.search(['memories', user], { query: question, limit: 1 })
  const [memory] = found ?? []
  return { answer: memory ? `You told me: ${memory.value.text}` : 'I know nothing of that.' }
}

export const graph = new StateGraph(State)
  .addNode('keep', remember)
  .addNode('recall', recall)
  .addConditionalEdges(START, ({ remember }) => (remember ? 'keep' : 'recall'))
  .addEdge('keep', END)
  .addEdge('recall', END)
  .compile()

import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { chooseModel } from './model.ts'

const model = chooseModel()

async function respond(state: typeof MessagesAnnotation.State) {
  return { messages: [await model.invoke(state.messages)] }
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('respond', respond)
  .addEdge('__start__', 'respond')
  .addEdge('respond', '__end__')
  .compile()

import { AIMessage } from '@langchain/core/messages'
import {
  Annotation,
  type BaseCheckpointSaver,
  END,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph'

/** Answers at once: the rows measure everything around the graph. */
export function compileEcho(checkpointer?: BaseCheckpointSaver) {
  return new StateGraph(MessagesAnnotation)
    .addNode('answer', ({ messages }) => ({
      messages: [new AIMessage(`echo: ${messages.at(-1)?.content}`)],
    }))
    .addEdge(START, 'answer')
    .addEdge('answer', END)
    .compile(checkpointer ? { checkpointer } : {})
}

export const echo = compileEcho()

/** Input `{left}`: runs that many steps, each with a checkpoint of the same size. */
export const count = new StateGraph(Annotation.Root({ left: Annotation<number> }))
  .addNode('step', ({ left }) => ({ left: left - 1 }))
  .addEdge(START, 'step')
  .addConditionalEdges('step', ({ left }) => (left > 0 ? 'step' : END))
  .compile()

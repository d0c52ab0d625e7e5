import { setImmediate } from 'node:timers/promises'
import {
  Annotation,
  END,
  type LangGraphRunnableConfig,
  START,
  StateGraph,
} from '@langchain/langgraph'

const TEXT = 'x'.repeat(200)
/** Events in one turn of the event loop, as several pieces of a model come in one packet. */
const BURST = 10

/** Input `{count}`: writes that many custom events, as fast as they are accepted. */
export const tell = new StateGraph(Annotation.Root({ count: Annotation<number> }))
  .addNode('tell', async ({ count }, config: LangGraphRunnableConfig) => {
    for (let number = 1; number <= count; number += 1) {
      config.writer?.({ number, text: TEXT })
      if (number % BURST === 0) await setImmediate()
    }
    return {}
  })
  .addEdge(START, 'tell')
  .addEdge('tell', END)
  .compile()

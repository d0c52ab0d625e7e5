import { setImmediate } from 'node:timers/promises'
import {
  Annotation,
  END,
  type LangGraphRunnableConfig,
  START,
  StateGraph,
} from '@langchain/langgraph'

const TEXT = 'x'.repeat(200)
/** As many are told in one turn of the event loop, as pieces of a model come in one packet. */
const BURST = 10

/** Input `{count}`: tells that many custom events, as fast as they are taken. */
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

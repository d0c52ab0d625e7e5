import { Annotation, START, StateGraph } from '@langchain/langgraph'

const State = Annotation.Root({
  shop: Annotation<string>,
  orders: Annotation<number[]>,
  report: Annotation<string>,
})

export const graph = new StateGraph(State)
  .addNode('read', () => ({ orders: [12, 30, 8] }))
  .addNode('sum', ({ shop, orders }) => ({
    report: `${shop}: ${orders.length} orders, ${orders.reduce((a, b) => a + b, 0)} EUR`,
  }))
  .addEdge(START, 'read')
  .addEdge('read', 'sum')
  .compile()

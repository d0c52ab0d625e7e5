import { START, StateGraph } from '@langchain/langgraph'
import { z } from 'zod'

const Bill = z.object({
  amount: z.number().positive().describe('What is on the bill.'),
  guests: z.int().positive().describe('How many share it.'),
  tipPercent: z.number().min(0).optional().describe('Default 10.'),
})

const State = Bill.extend({ total: z.number().optional(), each: z.number().optional() })

/** Its input is what a client of the tool sees: names, types and descriptions. */
export const graph = new StateGraph({ state: State, input: Bill })
  .addNode('tip', ({ amount, tipPercent = 10 }) => ({
    total: cents(amount * (1 + tipPercent / 100)),
  }))
  .addNode('split', ({ total = 0, guests }) => ({ each: cents(total / guests) }))
  .addEdge(START, 'tip')
  .addEdge('tip', 'split')
  .compile()

function cents(amount: number): number {
  return Math.round(amount * 100) / 100
}

import { AIMessage } from '@langchain/core/messages'
import { interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'

/** Asks before it books: for other agents the task is then in `input-required`. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('offer', ({ messages }) => {
    const city = /to (\p{Lu}[\p{L}-]+)/u.exec(messages.at(-1)?.text ?? '')?.[1] ?? 'Bern'
    const price = 40 * city.length
    const answer = interrupt<{ question: string }, string>({
      question: `A return ticket to ${city} is ${price} francs. Shall I book it?`,
    })
    const isAgreed = /^(yes|ok)\b/i.test(String(answer))
    const text = isAgreed ? `Booked: ${city}, ${price} francs.` : 'Nothing is booked.'
    return { messages: [new AIMessage(text)] }
  })
  .addEdge(START, 'offer')
  .compile()

/** A chat with two tools: the weather, shown as a card, and bookings, which a human approves first. */
import { type AIMessage, ToolMessage } from '@langchain/core/messages'
import {
  Annotation,
  END,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { typedUi, type UIMessage, uiMessageReducer } from '@langchain/langgraph-sdk/react-ui/server'
import { ScriptedModel } from './scripted-model.ts'
import type components from './ui.tsx'

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  ui: Annotation<UIMessage[]>({
    reducer: (state, update) => uiMessageReducer(state, update),
    default: () => [],
  }),
})
type State = typeof State.State

const model = new ScriptedModel({})

async function answer({ messages }: State): Promise<Partial<State>> {
  return { messages: [await model.invoke(messages)] }
}

function useTool({ messages }: State, config: LangGraphRunnableConfig): Partial<State> {
  const asking = messages.at(-1) as AIMessage
  const ui = typedUi<typeof components>(config)
  const answers = (asking.tool_calls ?? []).map(({ id = '', name, args }) => {
    const content =
      name === 'weather' ? weather(String(args.city), ui, asking) : book(String(args.what))
    return new ToolMessage({ tool_call_id: id, name, content })
  })
  return { messages: answers }
}

function weather(
  city: string,
  ui: ReturnType<typeof typedUi<typeof components>>,
  message: AIMessage,
) {
  const degrees = 10 + (city.length % 15)
  ui.push({ name: 'weather', props: { city, degrees } }, { message })
  return `It is ${degrees} °C in ${city}.`
}

/** Waits until a human has said yes or no. */
function book(what: string): string {
  const answer = interrupt({ question: `Shall I book ${what}?` })
  // The example's page sends an object; a person may type "yes" in Runyard's Studio.
  const isApproved = answer?.approved === true || /^(yes|true)$/i.test(String(answer).trim())
  return isApproved ? `Booked: ${what}.` : `Not booked: ${what}.`
}

const wantsTool = ({ messages }: State) =>
  (messages.at(-1) as AIMessage).tool_calls?.length ? 'tool' : END

export const graph = new StateGraph(State)
  .addNode('answer', answer)
  .addNode('tool', useTool)
  .addEdge(START, 'answer')
  .addConditionalEdges('answer', wantsTool, ['tool', END])
  .addEdge('tool', 'answer')
  .compile()

/** The components that the server sends along with a message. */
import { LoadExternalComponent, type UIMessage } from '@langchain/langgraph-sdk/react-ui'
import type { ComponentProps } from 'react'

type ComponentStream = ComponentProps<typeof LoadExternalComponent>['stream']

interface CardsProps {
  /**
   * The hook's answer. The components ask for what both hooks have, the client, the assistant and
   * `submit`, though their type names the whole of one of them.
   */
  stream: Pick<ComponentStream, 'client' | 'assistantId'>
  ui: readonly UIMessage[] | undefined
  messageId: string | undefined
}

export function Cards({ stream, ui = [], messageId }: CardsProps) {
  const own = ui.filter(({ metadata }) => metadata?.id === messageId)
  return own.map((card) => (
    <LoadExternalComponent
      key={card.id}
      stream={stream as ComponentStream}
      message={card}
      fallback="…"
    />
  ))
}

/** One message with everything that belongs to it. */
import { memo } from 'react'
import { AgentTurn } from './agent-turn.tsx'
import { CallRow } from './call-row.tsx'
import { HumanTurn } from './human-turn.tsx'
import { messageText } from './message-text.ts'
import type { TurnProps } from './turns.ts'

/** An unchanged turn is not rendered again while another one grows. */
export const TurnView = memo(
  function TurnView(props: TurnProps) {
    const { message } = props
    if (message.type === 'human') return <HumanTurn {...props} />
    if (message.type === 'ai') return <AgentTurn {...props} />
    if (message.type === 'tool') {
      const call = {
        id: message.tool_call_id,
        name: message.name ?? 'tool',
        args: undefined,
        result: message,
      }
      return (
        <li>
          <CallRow call={call} isLive={props.isLive} />
        </li>
      )
    }
    return (
      <li className="text-sm text-ink-soft">
        <span className="mr-2 font-medium">{message.type}</span>
        <span className="whitespace-pre-wrap wrap-anywhere">{messageText(message.content)}</span>
      </li>
    )
  },
  (before, after) =>
    before.message === after.message &&
    before.seen === after.seen &&
    before.isLive === after.isLive &&
    before.isSpeaking === after.isSpeaking &&
    before.calls.length === after.calls.length &&
    before.calls.every(({ result }, index) => result === after.calls[index]?.result),
)

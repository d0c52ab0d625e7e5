/** One message of a state: its author, text, tool calls and tokens. */

import { Bot, MessageSquare, Settings2, Trash2, User, Wrench } from '../../design/icon.gen.tsx'
import type { Icon } from '../../design/icon.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { countText } from '../../design/text/format.ts'
import { LongText } from '../../design/text/long-text.tsx'
import { messageText } from '../conversation/message-text.ts'
import { isMessage, type MessageLike } from './message.ts'

const KINDS: Record<string, { label: string; icon: Icon }> = {
  human: { label: 'Human', icon: User },
  ai: { label: 'Agent', icon: Bot },
  tool: { label: 'Tool', icon: Wrench },
  function: { label: 'Function', icon: Wrench },
  system: { label: 'System', icon: Settings2 },
  chat: { label: 'Chat', icon: MessageSquare },
  remove: { label: 'Removal', icon: Trash2 },
}

/** For a diff: messages as messages, everything else as JSON. */
export function drawMessage(value: unknown) {
  return isMessage(value) ? <MessageView message={value} /> : undefined
}

export function MessageView({ message }: { message: MessageLike }) {
  const { label, icon: Icon } = KINDS[message.type] ?? { label: message.type, icon: MessageSquare }
  const text = messageText(message.content)
  const others = otherBlocks(message.content)
  const tokens = message.usage_metadata?.total_tokens
  return (
    <div className="flex gap-2 py-0.5 font-sans">
      <Icon size={14} className="mt-0.75 shrink-0 text-ink-faint" aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline gap-2 text-xs text-ink-soft">
          <span className="font-medium">{label}</span>
          {message.name && <code className="truncate">{message.name}</code>}
          {tokens !== undefined && <span className="ml-auto">{countText(tokens)} tokens</span>}
        </p>
        {text !== '' && <LongText text={text} />}
        {others.length > 0 && <JsonView value={others} openDepth={1} />}
        {message.tool_calls?.map((call, place) => (
          <div key={call.id ?? place} className="mt-0.5 rounded-sm border border-line px-2 py-0.5">
            <code className="font-medium">{call.name}</code>
            <JsonView value={call.args} openDepth={1} />
          </div>
        ))}
      </div>
    </div>
  )
}

/** Images, files, reasoning: all but plain text. Tool calls are listed separately below. */
function otherBlocks(content: unknown): unknown[] {
  if (!Array.isArray(content)) return []
  return content.filter(
    (block) =>
      typeof block === 'object' && !['text', 'tool_use', 'tool_call'].includes(block?.type),
  )
}

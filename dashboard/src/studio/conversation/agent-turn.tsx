import { IconButton } from '../../design/button.tsx'
import { RefreshCw } from '../../design/icon.gen.tsx'
import { CopyButton } from '../../design/text/copy-button.tsx'
import { countText } from '../../design/text/format.ts'
import { Talks } from '../../shell/talks.tsx'
import { useGoOn } from '../use-action.ts'
import { CallRow } from './call-row.tsx'
import { Components } from './components.tsx'
import { partsOf } from './content-parts.ts'
import { messageText } from './message-text.ts'
import { PartView } from './part-view.tsx'
import type { TurnProps } from './turns.ts'

/** The agent's text, reasoning and tool calls. */
export function AgentTurn({ message, calls, seen, seenResults, isLive, isSpeaking }: TurnProps) {
  const text = messageText(message.content)
  return (
    <li className="group" data-from="agent">
      <span className="sr-only">The agent said</span>
      <div className="space-y-2">
        {partsOf(message).map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added
          <PartView key={index} part={part} isGrowing={isSpeaking} />
        ))}
        {calls.map((call) => (
          <CallRow
            key={call.id}
            call={call}
            isLive={isLive}
            from={seen}
            to={seenResults.get(call.result?.id ?? '')}
          />
        ))}
        <Components messageId={message.id} />
      </div>
      {/* It keeps its room while the run goes on, so that nothing jumps at the end. */}
      <footer className="-ml-1.5 flex h-7 items-center gap-1 text-xs text-ink-faint opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
        {!isLive && (
          <>
            {text && <CopyButton text={text} label="Copy the text" />}
            {seen?.before && (
              <Talks>
                <Regenerate from={seen.before} />
              </Talks>
            )}
            <Usage message={message} />
          </>
        )}
      </footer>
    </li>
  )
}

function Regenerate({ from }: { from: string }) {
  const { mutate: again, isPending } = useGoOn(from)
  return (
    <IconButton
      label="Answer anew from here"
      icon={<RefreshCw size={13} />}
      isDisabled={isPending}
      onPress={() => again()}
    />
  )
}

interface Tokens {
  input_tokens?: number
  output_tokens?: number
}

function Usage({ message }: Pick<TurnProps, 'message'>) {
  const { usage_metadata } = message as { usage_metadata?: Tokens | null }
  if (!usage_metadata) return null
  const { input_tokens = 0, output_tokens = 0 } = usage_metadata
  return (
    <span className="tabular-nums">
      {countText(input_tokens)} tokens in, {countText(output_tokens)} out
    </span>
  )
}

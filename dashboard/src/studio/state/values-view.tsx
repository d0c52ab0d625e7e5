/** The values of a state, key by key. */

import { type ReactNode, useState } from 'react'
import { FoldButton } from '../../design/fold-button.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { LongText } from '../../design/text/long-text.tsx'
import { isMessage } from './message.ts'
import { MessageView } from './message-view.tsx'

/** A value whose JSON is longer than this is folded at first. */
const LARGE = 2_000

export function ValuesView({ values }: { values: unknown }) {
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    return <JsonView value={values} />
  const entries = Object.entries(values)
  if (entries.length === 0) return <p className="text-ink-soft">The state has no values yet.</p>
  return (
    <div className="space-y-1">
      {entries.map(([key, value]) => (
        <Entry key={key} name={key} value={value} />
      ))}
    </div>
  )
}

function Entry({ name, value }: { name: string; value: unknown }) {
  return isShort(value) ? (
    <p className="py-0.5 pl-[18px]">
      <code className="mr-2 font-medium">{name}</code>
      {typeof value === 'string' ? (
        <span className="wrap-anywhere">
          {value || <span className="text-ink-faint">empty</span>}
        </span>
      ) : (
        <code className="text-accent">{JSON.stringify(value)}</code>
      )}
    </p>
  ) : (
    <LongEntry name={name} value={value} />
  )
}

/** Whether the value fits on the line of its key. */
function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= 60 && !value.includes('\n')
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0
}

function LongEntry({ name, value }: { name: string; value: unknown }) {
  const size = sizeOf(value)
  const messages = Array.isArray(value) && value.length > 0 && value.every(isMessage)
  const [isOpen, setOpen] = useState(messages || size <= LARGE)
  return (
    <section>
      <h4>
        <FoldButton isOpen={isOpen} onChange={setOpen} className="w-full gap-1 py-0.5 text-sm">
          <code className="font-medium">{name}</code>
          <span className="text-xs text-ink-faint">{kindOf(value)}</span>
        </FoldButton>
      </h4>
      {isOpen && <div className="ml-[7px] border-l border-line pl-3">{contentOf(value)}</div>}
    </section>
  )
}

function contentOf(value: unknown): ReactNode {
  if (Array.isArray(value) && value.length > 0 && value.every(isMessage))
    return <Messages messages={value} />
  if (isMessage(value)) return <MessageView message={value} />
  if (typeof value === 'string') return <LongText text={value} />
  return <JsonView value={value} openDepth={1} />
}

/** The last messages of a long conversation; earlier ones on demand. */
const MOST = 20

function Messages({ messages }: { messages: readonly unknown[] }) {
  const [shown, setShown] = useState(MOST)
  const from = Math.max(0, messages.length - shown)
  return (
    <>
      {from > 0 && (
        <button type="button" className="text-sm text-accent" onClick={() => setShown(shown + 100)}>
          {from} earlier messages
        </button>
      )}
      <ol className="space-y-1">
        {messages.slice(from).map((message, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a stored state never changes
          <li key={from + place}>{isMessage(message) && <MessageView message={message} />}</li>
        ))}
      </ol>
    </>
  )
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 1 ? '1 entry' : `${value.length} entries`
  return typeof value === 'string' && value.length > LARGE ? `${value.length} characters` : ''
}

/** The approximate length of the value's JSON; stops counting when it is large. */
function sizeOf(value: unknown): number {
  let size = 0
  const stack: unknown[] = [value]
  while (stack.length > 0 && size <= LARGE) {
    const one = stack.pop()
    if (typeof one === 'string') size += one.length
    else if (typeof one === 'object' && one !== null) stack.push(...Object.values(one))
    size += 4
  }
  return size
}

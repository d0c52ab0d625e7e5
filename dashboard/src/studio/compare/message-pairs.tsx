import { useState } from 'react'
import { classes } from '../../design/classes.ts'
import type { MessageLike } from '../state/message.ts'
import { MessageView } from '../state/message-view.tsx'
import { pairMessages } from './side-facts.ts'

/** Two conversations side by side; their common beginning is folded. */
export function MessagePairs(props: {
  left: readonly MessageLike[]
  right: readonly MessageLike[]
}) {
  const pairs = pairMessages(props.left, props.right)
  const firstOther = pairs.findIndex(({ isSame }) => !isSame)
  const common = firstOther === -1 ? pairs.length : firstOther
  const [isOpen, setOpen] = useState(common <= 2)
  return (
    <div className="rounded-lg border border-line bg-surface">
      {!isOpen && (
        <button
          type="button"
          onClick={() => setOpen(true)}
          className="w-full border-b border-line px-3 py-2 text-left text-accent last:border-0 hover:bg-hover"
        >
          {common} messages are the same
        </button>
      )}
      {pairs.slice(isOpen ? 0 : common).map(({ left, right, isSame }, place) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: messages are compared by position
          key={place}
          className="grid grid-cols-2 border-b border-line text-sm last:border-0"
        >
          <Cell message={left} isSame={isSame} className="border-r border-line" />
          <Cell message={right} isSame={isSame} />
        </div>
      ))}
    </div>
  )
}

function Cell(props: { message: MessageLike | undefined; isSame: boolean; className?: string }) {
  const { message, isSame, className } = props
  return (
    <div
      className={classes('min-w-0 px-3 py-1.5', !isSame && message && 'bg-wait-soft', className)}
    >
      {message ? <MessageView message={message} /> : <p className="text-ink-faint">Nothing here</p>}
      {!isSame && message && <span className="sr-only">differs</span>}
    </div>
  )
}

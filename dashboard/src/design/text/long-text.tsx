import { useState } from 'react'
import { countText } from './format.ts'

/** A text with its line breaks; beyond `limit` characters it is folded. */
export function LongText({ text, limit = 600 }: { text: string; limit?: number }) {
  const [isOpen, setOpen] = useState(false)
  const isCut = text.length > limit * 1.2 && !isOpen
  return (
    <span className="whitespace-pre-wrap wrap-anywhere">
      {isCut ? `${text.slice(0, limit)}…` : text}
      {isCut && (
        <button
          type="button"
          className="ml-1.5 rounded-sm font-sans text-accent hover:underline"
          onClick={() => setOpen(true)}
        >
          All {countText(text.length)} characters
        </button>
      )}
    </span>
  )
}

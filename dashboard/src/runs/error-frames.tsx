import { useState } from 'react'
import { framesOf } from './frames.ts'

/** An error with the stack frames of the project's own files; frames of packages are shown on demand. */
export function ErrorFrames(props: {
  error: { error: string; message: string; stack?: string }
  title?: string
}) {
  const { error, message, stack = '' } = props.error
  const [isWhole, setWhole] = useState(false)
  const frames = framesOf(stack)
  const own = frames.filter(({ isOwn }) => isOwn)
  const shown = isWhole || own.length === 0 ? frames : own
  const hidden = frames.length - shown.length
  return (
    <section
      aria-label="The error"
      className="mb-4 rounded-md border border-bad/40 bg-bad-soft p-3"
    >
      {props.title && <p className="mb-1 text-sm text-ink-soft">{props.title}</p>}
      <p className="wrap-anywhere">
        <span className="font-semibold text-bad">{error}</span> {message}
      </p>
      {shown.length > 0 && (
        <pre className="mt-2 max-h-72 overflow-auto text-sm whitespace-pre-wrap wrap-anywhere">
          {shown.map(({ text }) => text).join('\n')}
        </pre>
      )}
      {hidden > 0 && (
        <button type="button" className="mt-1 text-sm text-accent" onClick={() => setWhole(true)}>
          {hidden} more of packages
        </button>
      )}
    </section>
  )
}

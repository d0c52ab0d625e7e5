/** A tool call in one row; opened, its arguments and its result. */

import { useState } from 'react'
import { FoldButton } from '../../design/fold-button.tsx'
import { Wrench } from '../../design/icon.gen.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { Spinner } from '../../design/spinner.tsx'
import { Mark } from '../../design/status.tsx'
import { Elapsed } from '../../design/text/time.tsx'
import { messageText } from './message-text.ts'
import type { Seen } from './seen-states.ts'
import type { Call } from './turns.ts'

interface CallRowProps {
  call: Call
  isLive: boolean
  /** Where the call and its result entered the state. */
  from?: Seen | undefined
  to?: Seen | undefined
}

export function CallRow({ call, isLive, from, to }: CallRowProps) {
  const [isOpen, setOpen] = useState(false)
  const { name, args, result } = call
  // Between two runs the thread waited for a person.
  const took = from?.at && to?.at && from.run === to.run ? Math.max(0, to.at - from.at) : undefined
  const failed = (result as { status?: string } | undefined)?.status === 'error'
  const answer = result ? messageText(result.content) || JSON.stringify(result.content) : ''
  return (
    <div className="overflow-hidden rounded-md border border-line bg-surface" data-call={name}>
      <FoldButton
        isOpen={isOpen}
        onChange={setOpen}
        className="w-full gap-2 px-2.5 py-1.5 text-sm -outline-offset-2"
      >
        <Wrench size={13} aria-hidden="true" className="shrink-0 text-ink-faint" />
        <span className="shrink-0 font-mono font-medium">{name}</span>
        <span className="min-w-0 shrink truncate font-mono text-ink-faint">
          {args === undefined ? '' : inline(args)}
        </span>
        {result && (
          <span className="min-w-0 flex-1 truncate text-ink-soft">
            <span aria-hidden="true">→ </span>
            {answer}
          </span>
        )}
        <span className="ml-auto flex shrink-0 items-center gap-2 pl-1 text-xs text-ink-faint">
          {took !== undefined && <Elapsed ms={took} />}
          <Outcome isDone={result !== undefined} failed={failed} isLive={isLive} />
        </span>
      </FoldButton>
      {isOpen && (
        <div className="space-y-2 border-t border-line px-3 py-2">
          {args !== undefined && (
            <Part title="Arguments">
              <JsonView value={args} openDepth={3} />
            </Part>
          )}
          {result && (
            <Part title={failed ? 'Error' : 'Result'}>
              <Result text={answer} />
            </Part>
          )}
        </div>
      )}
    </div>
  )
}

function Outcome(props: { isDone: boolean; failed: boolean; isLive: boolean }) {
  const { isDone, failed, isLive } = props
  if (isDone)
    return (
      <span className="flex items-center">
        <Mark tone={failed ? 'bad' : 'good'} />
        <span className="sr-only">{failed ? 'Failed' : 'Done'}</span>
      </span>
    )
  if (isLive)
    return (
      <span className="flex items-center text-accent">
        <Spinner />
        <span className="sr-only">Running</span>
      </span>
    )
  return <span>no result</span>
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div>
      <p className="mb-1 text-xs font-medium text-ink-faint">{title}</p>
      {children}
    </div>
  )
}

/** JSON as a tree, anything else as text. */
function Result({ text }: { text: string }) {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return <JsonView value={value} />
  } catch {
    // Not JSON: shown as text.
  }
  return <pre className="max-h-80 overflow-auto whitespace-pre-wrap wrap-anywhere">{text}</pre>
}

function inline(args: unknown): string {
  const entries = typeof args === 'object' && args !== null ? Object.entries(args) : []
  return entries
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}

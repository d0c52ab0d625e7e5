import type { ReactNode } from 'react'
import { JsonView } from '../design/json/view.tsx'
import { LongText } from '../design/text/long-text.tsx'
import { lastWords } from './words.ts'

/** One value with its title; with `isSaid`, its last message comes first, above the folded rest. */
export function Side(props: {
  title: string
  value: unknown
  isSaid?: boolean
  /** Shown if there is no value. */
  otherwise?: string
  /** Beside the title. */
  children?: ReactNode
}) {
  const { title, value, isSaid, otherwise = 'Nothing is kept.', children } = props
  const words = isSaid || typeof value === 'string' ? lastWords(value) : undefined
  return (
    <div className="min-w-0">
      <header className="mb-1 flex items-center justify-between gap-3">
        <h3 className="text-sm font-medium text-ink-soft">{title}</h3>
        {children}
      </header>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
        tabIndex={0}
        aria-label={title}
        className="max-h-96 overflow-auto rounded-md bg-sunken p-2"
      >
        {words && <LongText text={words} />}
        {(value ?? undefined) === undefined ? (
          <p className="text-sm text-ink-faint">{otherwise}</p>
        ) : (
          typeof value !== 'string' && <JsonView value={value} openDepth={words ? 0 : 3} />
        )}
      </section>
    </div>
  )
}

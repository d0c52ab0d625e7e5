/** The events of a run, one per line; the view follows new events while it is at the end. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { classes } from '../design/classes.ts'
import { ErrorNote } from '../design/error-note.tsx'
import { Mark } from '../design/status.tsx'
import { countText } from '../design/text/format.ts'
import type { RunPlace } from './queries.ts'
import { useRunStream } from './use-run-stream.ts'

const LINE = 24

export function StreamView({ server, place }: { server: AgentServer; place: RunPlace }) {
  const { events, dropped, isOpen, error } = useRunStream(server, place)
  const [open, setOpen] = useState<number>()
  const frame = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const lines = useVirtualizer({
    count: events.length,
    getScrollElement: () => frame.current,
    estimateSize: () => LINE,
    overscan: 20,
  })
  useEffect(() => {
    if (isAtEnd.current && isOpen && events.length > 0) {
      lines.scrollToIndex(events.length - 1, { align: 'end' })
    }
  }, [events.length, isOpen, lines])
  const shown = open === undefined ? undefined : events[open]
  if (error) return <ErrorNote error={error} title="Could not follow the stream." />
  return (
    <>
      <p className="mb-2 flex items-center gap-2 text-sm text-ink-soft" role="status">
        <Mark tone={isOpen ? 'live' : 'off'} />
        {isOpen ? 'Following' : 'Over'} · {countText(events.length + dropped)} events
        {dropped > 0 && ` · the last ${countText(events.length)} are shown`}
      </p>
      {!isOpen && events.length === 0 ? (
        <p className="text-ink-soft">The events of a run are kept for an hour after its end.</p>
      ) : (
        <section
          ref={frame}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
          tabIndex={0}
          aria-label="Events"
          className="relative max-h-80 min-h-8 overflow-auto rounded-md border border-line bg-sunken"
          onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
            isAtEnd.current = scrollHeight - scrollTop - clientHeight < 2 * LINE
          }}
        >
          <div style={{ height: lines.getTotalSize() }} />
          {lines.getVirtualItems().map(({ index, start }) => {
            const one = events[index]
            return (
              one && (
                <button
                  key={index + dropped}
                  type="button"
                  tabIndex={-1}
                  onClick={() => setOpen(index === open ? undefined : index)}
                  style={{ transform: `translateY(${start}px)`, height: LINE }}
                  className={classes(
                    'absolute inset-x-0 top-0 flex items-center gap-3 px-3 text-left font-mono text-sm hover:bg-hover',
                    index === open && 'bg-accent-soft',
                  )}
                >
                  <span className="w-10 shrink-0 text-right text-ink-faint tabular-nums">
                    {one.id}
                  </span>
                  <span className="w-40 shrink-0 truncate text-accent max-sm:w-24">
                    {one.event}
                  </span>
                  <span className="min-w-0 truncate">{one.data}</span>
                </button>
              )
            )
          })}
        </section>
      )}
      {shown && (
        <pre className="mt-2 max-h-72 overflow-auto rounded-md bg-sunken p-3 text-sm wrap-anywhere whitespace-pre-wrap">
          {shown.data}
        </pre>
      )}
    </>
  )
}

/** A run's stream from its beginning, followed live. */
import { useEffect, useRef, useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import type { RunPlace } from './queries.ts'

export interface SentEvent {
  id: string | undefined
  event: string
  /** JSON, truncated if long. */
  data: string
}

/** The last so many events are kept. */
const MOST = 20_000
const CHARS = 2_000

export interface RunStream {
  events: readonly SentEvent[]
  /** How many earlier events were dropped. */
  dropped: number
  isOpen: boolean
  error: unknown
}

/**
 * Follows the stream while the component is mounted. Events within one animation frame are rendered together: a
 * thousand events a second cause sixty renders.
 */
export function useRunStream(server: AgentServer, { thread_id, run_id }: RunPlace): RunStream {
  const [stream, setStream] = useState<RunStream>({
    ...{ events: [], dropped: 0, isOpen: true, error: undefined },
  })
  const come = useRef<SentEvent[]>([])
  useEffect(() => {
    const leaving = new AbortController()
    let frame = 0
    const show = () => {
      frame = 0
      const added = come.current
      come.current = []
      setStream((before) => withAdded(before, added))
    }
    const end = (error?: unknown) => {
      if (leaving.signal.aborted) return
      show()
      setStream((before) => ({ ...before, isOpen: false, error }))
    }
    const follow = async () => {
      const { signal } = leaving
      const parts = server.client.runs.joinStream(thread_id, run_id, { lastEventId: '-1', signal })
      for await (const { id, event, data } of parts) {
        const text = JSON.stringify(data) ?? ''
        come.current.push({
          id,
          event,
          data: text.length > CHARS ? `${text.slice(0, CHARS)} …` : text,
        })
        if (frame === 0) frame = requestAnimationFrame(show)
      }
    }
    setStream({ events: [], dropped: 0, isOpen: true, error: undefined })
    follow().then(() => end(), end)
    return () => {
      leaving.abort()
      cancelAnimationFrame(frame)
      come.current = []
    }
  }, [server, thread_id, run_id])
  return stream
}

function withAdded(before: RunStream, added: readonly SentEvent[]): RunStream {
  if (added.length === 0) return before
  const all = [...before.events, ...added]
  const excess = Math.max(0, all.length - MOST)
  return { ...before, events: all.slice(excess), dropped: before.dropped + excess }
}

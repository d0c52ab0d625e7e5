/** Server-sent events as text, and where a client resumes them. */
import type { LoggedEvent } from '../../core/agent/event.ts'
import { AppError } from '../../core/errors.ts'

/** One line feed and no blank line: after a blank line older SDKs report an empty event. */
export const HEARTBEAT = ': heartbeat\n'

/** The parts of a frame. `data` is JSON text on one line. Without an `id` there is no such line. */
interface SseEvent {
  event: string
  data: string
  id?: number | string
}

/** The lines of an event: `event`, `data`, `id`, and a blank one, in the order of LangGraph Server. */
export function frame({ event, data, id }: SseEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`
  return `event: ${oneLine(event)}\ndata: ${data}\n${idLine}\n`
}

/** A run's event for the legacy streams, whose ids count within the run. */
export function frameOf(event: LoggedEvent): string {
  return frame({ event: event.event, data: event.data, id: event.run_seq })
}

const BREAKS = /[\r\n]/

// Projects name their nodes, and may use any characters.
function oneLine(name: string): string {
  return BREAKS.test(name) ? name.replace(/[\r\n]+/g, ' ') : name
}

/**
 * Reads a `Last-Event-ID` header: the `run_seq` of the last event that the client has. `-1` (send all
 * events) for "-1" and "-", as on LangGraph Server; `undefined` without the header. Throws `bad_request`.
 */
export function parseLastEventId(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  if (text === '-1' || text === '-') return -1
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new AppError(
    'bad_request',
    `Last-Event-ID "${header}" is not the id of an event; send a number, or -1 for all events.`,
  )
}

/** Server-sent events as bytes. */
import type { LoggedEvent } from '../../core/agent/event.ts'

/** One line feed and no blank line: after a blank one older SDKs dispatch an empty event. */
export const HEARTBEAT = ': heartbeat\n'

/** What a frame is made of; `data` is JSON text on one line. Without `id` the line is left out. */
interface SseEvent {
  event: string
  data: string
  id?: number | string
}

/** The event as its lines: `event`, `data`, `id`, and a blank one (facts, section 3). */
export function frame({ event, data, id }: SseEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`
  return `event: ${oneLine(event)}\ndata: ${data}\n${idLine}\n`
}

/** A run's event for the legacy streams, whose ids count within the run. */
export function frameOf(event: LoggedEvent): string {
  return frame({ event: event.event, data: event.data, id: event.run_seq })
}

// Names of nodes are a project's own and may hold anything.
function oneLine(name: string): string {
  return name.replace(/[\r\n]+/g, ' ')
}

/** Where a client resumes a stream. */
import { AppError } from '../core/errors.ts'

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

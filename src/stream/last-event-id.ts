/** From where a client goes on reading a stream. */
import { AppError } from '../core/errors.ts'

/**
 * Decodes a `Last-Event-ID` header: the `run_seq` of the last event that the client has, so that
 * those after it are sent. `-1` (all events) for "-1" and "-"; `undefined` without the header.
 * Throws `bad_request`. Source: facts, sections 2.4 and 6.
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

/** From a state as somebody edited it to the update that brings it about. */
import { isMessage } from './message.ts'

type State = Record<string, unknown>

/** A value in this wrapping takes the place of what was there, past the channel's reducer. */
const OVERWRITE = '__overwrite__'

/** A message of the type `remove` with this id takes all messages away. */
const ALL_MESSAGES = '__remove_all__'

/**
 * The values to send: only what changed, since each channel takes what it is sent in by its reducer.
 * Throws where a key was taken out, which no channel can do.
 */
export function changedValues(before: State, wanted: State, messagesKey?: string): State {
  const gone = Object.keys(before).find((key) => !Object.hasOwn(wanted, key))
  if (gone !== undefined)
    throw new Error(`"${gone}" cannot be taken out of the state. Give it another value, or null.`)
  const changed = Object.entries(wanted).filter(([key, value]) => !isSame(value, before[key]))
  return Object.fromEntries(
    changed.map(([key, value]) => [
      key,
      key === messagesKey ? messagesFor(before[key], value) : value,
    ]),
  )
}

/**
 * What is still to be sent where a reducer made something else of it, as one that adds to a list does;
 * undefined where the state is as it was wanted.
 */
export function correction(got: State, wanted: State, messagesKey?: string): State | undefined {
  const wrong = Object.entries(wanted).filter(
    ([key, value]) => key !== messagesKey && !isSame(got[key], value),
  )
  if (wrong.length === 0) return undefined
  return Object.fromEntries(wrong.map(([key, value]) => [key, { [OVERWRITE]: value }]))
}

/** The reducer of messages replaces those whose id it knows and adds the others at the end. */
function messagesFor(before: unknown, wanted: unknown): unknown {
  if (!Array.isArray(before) || !Array.isArray(wanted)) return wanted
  const keeps = before.every(
    (message, place) => idOf(message) && idOf(message) === idOf(wanted[place]),
  )
  if (keeps) return wanted.filter((message, place) => !isSame(message, before[place]))
  return [{ type: 'remove', id: ALL_MESSAGES, content: '' }, ...wanted]
}

function idOf(message: unknown): string | undefined {
  return isMessage(message) ? (message.id ?? undefined) : undefined
}

/** JSON values, whichever order their keys are in. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isSame(a[key as never], b[key as never]))
}

/** Computes the update that turns a state into its edited version. */
import { isSame } from '../../design/json/same.ts'
import { isMessage } from './message.ts'

type State = Record<string, unknown>

/** A value in this wrapper replaces the old one, bypassing the channel's reducer. */
const OVERWRITE = '__overwrite__'

/** A message of type `remove` with this id removes all messages. */
const ALL_MESSAGES = '__remove_all__'

/**
 * The values to send: only the changed ones, since each channel applies its reducer to what it receives. Throws if a
 * key was removed, which no channel can do.
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
 * The values to send again because a reducer changed them, as one that appends to a list does; undefined if the state
 * is as wanted.
 */
export function correction(got: State, wanted: State, messagesKey?: string): State | undefined {
  const wrong = Object.entries(wanted).filter(
    ([key, value]) => key !== messagesKey && !isSame(got[key], value),
  )
  if (wrong.length === 0) return undefined
  return Object.fromEntries(wrong.map(([key, value]) => [key, { [OVERWRITE]: value }]))
}

/** The messages reducer replaces messages whose id it knows and appends the others. */
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

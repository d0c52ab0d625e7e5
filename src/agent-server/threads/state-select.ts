/** `select` of a state: the fields to return, and keys of its values. */

import type { ThreadState } from '../../core/agent/thread.ts'
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { answerOf } from '../../http/answer.ts'
import { ThreadStateSchema, VALUE_PREFIX } from './state-schemas.ts'

/** A field, or `values.<key>` for one key of the values. */
export type StateSelection = keyof ThreadState | `${typeof VALUE_PREFIX}${string}`

/**
 * The state with only these fields, although its type promises all of them. An empty `select` returns
 * all. A key that the values do not have is left out.
 */
export function selectFields(state: ThreadState, select: StateSelection[] = []): ThreadState {
  if (select.length === 0) return answerOf(ThreadStateSchema, state) as ThreadState
  const fields = select.filter((one) => !isKey(one)) as (keyof ThreadState)[]
  const keys = select.filter(isKey).map((one) => one.slice(VALUE_PREFIX.length))
  const selected = Object.fromEntries(fields.map((field) => [field, state[field]]))
  const values = keys.length > 0 && { values: pick(state.values, keys) }
  return { ...values, ...selected } as unknown as ThreadState
}

function isKey(selection: StateSelection): boolean {
  return selection.startsWith(VALUE_PREFIX)
}

function pick(values: JsonValue, keys: string[]): JsonObject {
  if (!isObject(values)) return {}
  return Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key)))
}

/** Copies of objects with some of their fields. */
import type { JsonObject } from '../../core/json.ts'

type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** A copy without the fields that are `undefined`. */
export function given<T extends object>(request: T): Given<T> {
  const fields = Object.entries(request).filter(([, value]) => value !== undefined)
  return Object.fromEntries(fields) as Given<T>
}

/** A copy with the fields whose names pass. */
export function fieldsWhere(object: JsonObject, isKept: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => isKept(name)))
}

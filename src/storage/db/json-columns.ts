/** JSON in text columns. Each table's SQL has a list of its JSON columns. */
import { parseJson } from '../../core/exact-json.ts'

/** `null` and absent values become SQL's NULL, which is read as `null`. */
export function encodeJson(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value)
}

/** The row as an object. These columns are parsed, the others stay as they are. */
export function decodeRow<T extends object>(row: object, jsonColumns: readonly (keyof T)[]): T {
  const result = { ...row } as T
  for (const column of jsonColumns) {
    const text = result[column]
    if (typeof text === 'string') result[column] = parseJson(text)
  }
  return result
}

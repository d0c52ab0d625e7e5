/** JSON in columns of text. Which columns hold JSON is a list beside each table's SQL. */

/** `null` and what is absent become SQL's NULL, and come back as `null`. */
export function encodeJson(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value)
}

/** The row as an object, with these columns parsed; the others as they are. */
export function decodeRow<T extends object>(row: object, jsonColumns: readonly (keyof T)[]): T {
  const result = { ...row } as T
  for (const column of jsonColumns) {
    const text = result[column]
    if (typeof text === 'string') result[column] = JSON.parse(text)
  }
  return result
}

/**
 * How stored JSON keeps LangChain's objects apart from data that looks like one. `{lc: 1, type: "constructor", …}` is a
 * LangChain object and `{lc: 2, …}` a value that JSON lacks; data with a key `lc` is wrapped in `ESCAPE`, as
 * `@langchain/core` does since 0.3.80 and 1.1.8. The reader for Python is `hosts/python/src/runyard_host/checkpoints/stored_json.py`.
 */

export const ESCAPE = '__lc_escaped__'

export function isEscape(value: object): value is { [ESCAPE]: unknown } {
  return Object.hasOwn(value, ESCAPE) && Object.keys(value).length === 1
}

/** Whether a reader could take the data for something else. */
export function needsEscape(value: object): boolean {
  return Object.hasOwn(value, 'lc') || isEscape(value)
}

/** Requests without their absent fields. */

type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** A copy without the fields that are `undefined`. */
export function given<T extends object>(request: T): Given<T> {
  const fields = Object.entries(request).filter(([, value]) => value !== undefined)
  return Object.fromEntries(fields) as Given<T>
}

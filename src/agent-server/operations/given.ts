/** Requests without what they leave out. */

type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** Without the fields that were not given. */
export function given<T extends object>(request: T): Given<T> {
  const fields = Object.entries(request).filter(([, value]) => value !== undefined)
  return Object.fromEntries(fields) as Given<T>
}

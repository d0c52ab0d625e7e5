/**
 * Stack traces as they are written down: in the log, in a run's timeline, and when the process ends by an uncaught
 * exception. A host whose graphs come out of a bundle replaces the bundle's places by those of the sources.
 */

type NameSources = (stack: string) => string

const asItIs: NameSources = (stack) => stack
let current = asItIs

/** The stack trace with the places of the sources. Unchanged where no bundle is open. Never throws. */
export function withSources(stack: string): string {
  return current(stack)
}

/** Applies to all of this process, until the returned function is called. `name` must not throw. */
export function nameSourcesBy(name: NameSources): () => void {
  current = name
  return () => {
    if (current === name) current = asItIs
  }
}

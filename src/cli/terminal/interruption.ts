/** Handles Ctrl-C in commands that only watch. */

/** The exit code of a command that Ctrl-C ended: 128 plus the number of SIGINT. */
export const INTERRUPTED_EXIT_CODE = 130

/** Aborts at the first SIGINT or SIGTERM. The second one ends the process as usual. */
export function untilInterrupted(): AbortSignal {
  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const onSignal = () => {
      interruption.abort()
      // Later: the handler that restores the cursor would end the process now if it were the only listener.
      setImmediate(() => process.off(signal, onSignal))
    }
    process.on(signal, onSignal)
  }
  return interruption.signal
}

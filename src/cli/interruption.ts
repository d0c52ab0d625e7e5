/** Ctrl-C in a command that only watches. */

/** The exit code of a command that Ctrl-C has ended (128 and the number of SIGINT). */
export const INTERRUPTED_EXIT_CODE = 130

/** Aborted by the first SIGINT or SIGTERM; the second ends the process as always. */
export function untilInterrupted(): AbortSignal {
  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interruption.abort())
  }
  return interruption.signal
}

/** How a server process begins to stop. */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** How often to check whether the parent lives, in milliseconds. */
const PARENT_POLL_MS = 500
/** Ctrl-C reaches a process twice, from the terminal and through npm: within this time it is one. */
const ONE_SIGNAL_MS = 1000

/** Stop reason: the parent process is gone, so a good end is not needed. */
export const PARENT_GONE = 'the process above is gone'

/**
 * Aborts when the process shall stop: at a signal, when the process on the other side of the IPC
 * channel is gone, and, if it is tied to its parent, when that is gone. Another signal later on
 * ends the process at once.
 */
export function stopSignal(options: { isTiedToParent: boolean }): AbortSignal {
  const stopping = new AbortController()
  let firstAt = 0
  const onSignal = (signal: NodeJS.Signals) => {
    if (firstAt > 0 && performance.now() - firstAt > ONE_SIGNAL_MS) process.exit(130)
    firstAt ||= performance.now()
    stopping.abort(signal)
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  if (process.channel) {
    process.on('disconnect', () => stopping.abort(PARENT_GONE))
  }
  if (options.isTiedToParent) watchParent(stopping)
  return stopping.signal
}

/** Resolves when the signal is aborted; at once if it is already. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function watchParent(stopping: AbortController): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid !== parent) stopping.abort(PARENT_GONE)
  }, PARENT_POLL_MS)
  timer.unref()
}

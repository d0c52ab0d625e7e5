/** Reports an agent server's start: its steps in the log and to its runtime driver, and the files that it imports. */
import type { Log } from '../core/log.ts'
import type { DriverLink } from './messages.ts'

/** How often the log repeats a step that goes on, in ms. */
const REPEAT_MS = 10_000

/**
 * Reports the next step of the start, as the rest of a sentence about the agent server: `imports ./src/agent.py`.
 * Resolves when it is sent to the driver: the step may block the event loop.
 */
export type OnStep = (doing: string) => Promise<void>

/** `end` is called when the start is over. */
export function reportStart(
  link: DriverLink | undefined,
  log: Log,
): { onStep: OnStep; end: () => void } {
  let timer: NodeJS.Timeout | undefined
  const end = () => clearInterval(timer)
  const onStep = async (doing: string) => {
    end()
    const since = performance.now()
    log.info({ doing }, 'The agent server starts.')
    const repeat = () => {
      const seconds = Math.round((performance.now() - since) / 1000)
      log.info({ doing, seconds }, 'The agent server still starts.')
    }
    // A driver repeats it in the log of the revision, also while a module blocks this process.
    if (!link) timer = setInterval(repeat, REPEAT_MS).unref()
    await link?.send({ type: 'starting', doing })
  }
  return { onStep, end }
}

/**
 * Reports the project's files to the runtime driver. Begins at once; files that are imported together are reported together. `onSource` calls its callback with the path
 * of each file.
 */
export function reportSources(
  link: DriverLink,
  onSource: (callback: (file: string) => void) => void,
): void {
  let files: string[] = []
  const send = () => {
    void link.send({ type: 'sources', files })
    files = []
  }
  onSource((file) => {
    if (files.push(file) === 1) setImmediate(send)
  })
}

/**
 * Keeps a graph from ending the process and every other run with it. If a run's code calls
 * `process.exit` or `process.abort`, or signals this process, only that run ends. Outside of runs
 * these calls work as usual. So do `process.kill` of other processes, and signals from programs
 * that a graph has started.
 */
import { syncBuiltinESMExports } from 'node:module'
import type { Log } from '../../../core/log.ts'
import { currentOrigin } from '../../../core/origin.ts'

/** Thrown in the caller, and used as the error of its run. */
class ProcessEnd extends Error {
  override name = 'ProcessEnd'
}

type Ends = Pick<typeof process, 'exit' | 'abort' | 'kill'>

export class ProcessEnds {
  readonly #log: Log
  #originals: Ends | undefined

  constructor(log: Log) {
    this.#log = log
  }

  /** Call it before importing a project: its modules may keep references to the original functions. */
  start(): void {
    const { exit, abort, kill } = process
    this.#originals = { exit, abort, kill }
    process.exit = (code) => {
      this.#refuse(`process.exit(${code ?? ''})`)
      return exit.call(process, code)
    }
    process.abort = () => {
      this.#refuse('process.abort()')
      return abort.call(process)
    }
    process.kill = (pid, signal) => {
      if (isThisProcess(pid) && signal !== 0)
        this.#refuse(`process.kill(${pid}, ${signal ?? 'SIGTERM'})`)
      return kill.call(process, pid, signal)
    }
    syncBuiltinESMExports()
  }

  /** A second call does nothing. */
  stop(): void {
    Object.assign(process, this.#originals)
    this.#originals = undefined
    syncBuiltinESMExports()
  }

  /** Throws if the code of a run made the call. */
  #refuse(call: string): void {
    const { fail } = currentOrigin()
    if (!fail) return
    const error = new ProcessEnd(
      `${call} would have ended the server with all of its runs: it has ended this run. Throw an error instead.`,
    )
    this.#log.error({ err: error }, 'the code of a run called for the end of the process')
    fail(error)
    throw error
  }
}

/** Whether the pid means this process, or a group that it is in. */
function isThisProcess(pid: number): boolean {
  return pid === process.pid || pid === -process.pid || pid === 0 || pid === -1
}

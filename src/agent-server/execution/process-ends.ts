/**
 * Keeps a graph from ending the process, and every other run with it: who calls `process.exit`,
 * `process.abort` or kills the process ends the run that the call is part of. Whatever is called
 * outside of runs does what it always does, as do `process.kill` of other processes and what a program
 * that a graph starts does to us.
 */
import { syncBuiltinESMExports } from 'node:module'
import type { Log } from '../../core/log.ts'
import { currentOrigin } from '../../core/origin.ts'

/** What is thrown at whoever makes such a call, and the error of its run. */
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

  /** To be called before a project is imported, whose modules may keep what they find. */
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
      if (isUs(pid) && signal !== 0) this.#refuse(`process.kill(${pid}, ${signal ?? 'SIGTERM'})`)
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

  /** Throws where a run's code has called. */
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

/** This process, or a group that it is in. */
function isUs(pid: number): boolean {
  return pid === process.pid || pid === -process.pid || pid === 0 || pid === -1
}

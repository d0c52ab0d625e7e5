/** The priority of a process whose work nothing waits for. */
import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** A third of what another process gets: with 10, a tenth, what it does would take minutes on a busy machine. */
const LAST = 5

/** This process gets less of the processors than others, with all that it starts from now on. */
export function comeLast(): void {
  // Only root may take back what was given up.
  for (const thread of threads()) setPriority(thread, Math.max(LAST, getPriority(thread)))
}

/** On Linux each thread has a priority of its own, V8's helpers too; elsewhere a process has one, which 0 stands for. */
function threads(): number[] {
  return process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0]
}

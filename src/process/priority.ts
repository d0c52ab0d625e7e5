/** The priority of a process whose work nothing waits for. */
import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** A third of another process's share: with 10, a tenth, the work would take minutes on a busy machine. */
const LAST = 5

/** Lowers the priority of this process and of all that it starts from now on. */
export function comeLast(): void {
  // Only root may take back what was given up.
  for (const thread of threads()) setPriority(thread, Math.max(LAST, getPriority(thread)))
}

/** On Linux each thread has a priority of its own, V8's helpers too; elsewhere a process has one, which 0 means. */
function threads(): number[] {
  return process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0]
}

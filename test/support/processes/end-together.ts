/** Children that do not outlive this process: a test that fails, or is stopped in the middle, stops nothing itself. */
import type { ChildProcess } from 'node:child_process'

const children = new Map<ChildProcess, NodeJS.Signals>()

function endAll(): void {
  for (const [child, signal] of children) child.kill(signal)
}

process.on('exit', endAll)
// Vitest ends its workers so, also those whose tests are over: there is no `exit` then.
process.once('SIGTERM', () => {
  endAll()
  if (process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM')
})

/** Sends the child `signal` when this process ends, unless the child has ended before. */
export function endTogether(child: ChildProcess, signal: NodeJS.Signals): void {
  children.set(child, signal)
  child.once('exit', () => children.delete(child))
}

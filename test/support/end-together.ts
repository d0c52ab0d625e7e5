/** Children that do not outlive this process: a test run that is stopped in the middle stops nothing itself. */
import type { ChildProcess } from 'node:child_process'

const children = new Map<ChildProcess, NodeJS.Signals>()
process.on('exit', () => {
  for (const [child, signal] of children) child.kill(signal)
})

/** Sends the child `signal` when this process ends, unless the child has ended before. */
export function endTogether(child: ChildProcess, signal: NodeJS.Signals): void {
  children.set(child, signal)
  child.once('exit', () => children.delete(child))
}

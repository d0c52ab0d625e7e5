/**
 * The end of a child that leads a process group of its own (`detached`): all that it started ends
 * with it, and all that it printed is read.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'

/** How long the pipes may stay open once the group is gone (a daemon that left the group has them). */
const PIPE_GRACE_MS = 1000

/** Returns whether there was a process to kill, including zombies that their parent has not reaped. */
export function killGroup({ pid }: ChildProcess): boolean {
  if (pid === undefined) return false
  try {
    return process.kill(-pid, 'SIGKILL')
  } catch {
    return false
  }
}

/** Ends the processes that an exited child left behind, and waits until its output is read. */
export async function endGroup(child: ChildProcess): Promise<void> {
  killGroup(child)
  const open = [child.stdout, child.stderr].filter((pipe) => pipe !== null && !pipe.closed)
  const timer = setTimeout(() => {
    for (const pipe of open) pipe?.destroy()
  }, PIPE_GRACE_MS)
  await Promise.all(open.map((pipe) => pipe && once(pipe, 'close')))
  clearTimeout(timer)
}

/** The signal that an exit code stands for, as shells, monitors and container engines report it: 128 and its number. */
export function signalOf(code: number | null): string | undefined {
  const [name] = Object.entries(constants.signals).find(([, one]) => one + 128 === code) ?? []
  return name
}

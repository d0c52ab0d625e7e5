/** This machine's processes: where a pid means something, and whether its process still lives. */
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { performance } from 'node:perf_hooks'

/** Linux counts a process's start in hundredths of a second since boot. */
const MS_PER_TICK = 10

/**
 * Names the machine, its boot and, in containers, the pid namespace. Two processes with the same
 * answer see each other's pids. Where Linux's files are missing, the host's name stands in.
 */
export function hostId(): string {
  const machine = read('/etc/machine-id') ?? hostname()
  const boot = read('/proc/sys/kernel/random/boot_id') ?? 'boot'
  return [machine, boot, pidNamespace()].join(':')
}

/** `false` when there is no process with this pid. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives and belongs to someone else.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/**
 * When the process with this pid started, in ms since 1970; exact for this process, else to a
 * second. `undefined` where the system does not say.
 */
export function startedAt(pid: number): number | undefined {
  if (pid === process.pid) return performance.timeOrigin
  const stat = read(`/proc/${pid}/stat`)
  const boot = /^btime (\d+)$/m.exec(read('/proc/stat') ?? '')?.[1]
  if (!stat || !boot) return undefined
  // The second field is the command in parentheses, and may hold spaces: count from its end.
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return ticks === undefined ? undefined : Number(boot) * 1000 + Number(ticks) * MS_PER_TICK
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return 'pid'
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

/** The processes of this machine: where a pid is valid, and whether its process is alive. */
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { performance } from 'node:perf_hooks'

/** Linux counts the start of a process in hundredths of a second since boot. */
const MS_PER_TICK = 10

/**
 * Names the machine, its boot and, in containers, the pid namespace. Two processes with the same id see each other's
 * pids. Where Linux's files are missing, the host name replaces them.
 */
export function hostId(): string {
  const machine = read('/etc/machine-id') ?? hostname()
  const boot = read('/proc/sys/kernel/random/boot_id') ?? 'boot'
  return [machine, boot, pidNamespace()].join(':')
}

/** Whether there is a process with this pid. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process is alive and belongs to another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/**
 * When the process with this pid started, in ms since 1970. Exact for this process, to a second for others.
 * `undefined`: the system does not report it.
 */
export function startedAt(pid: number): number | undefined {
  if (pid === process.pid) return performance.timeOrigin
  const stat = read(`/proc/${pid}/stat`)
  const boot = /^btime (\d+)$/m.exec(read('/proc/stat') ?? '')?.[1]
  if (!stat || !boot) return undefined
  // The second field is the command in parentheses, which may contain spaces. So the fields are counted
  // after it.
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

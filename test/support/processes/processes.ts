/** The processes that have to do with a folder, as Linux tells them. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

export interface ProcessInfo {
  pid: number
  command: string
}

/** Every living process whose working folder lies in `folder` or whose command line names it. */
export function processesIn(folder: string): ProcessInfo[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => describe(Number(name), folder) ?? [])
}

/** Kills them, and settles when none is left: until then they may write into the folder. */
export async function endProcessesIn(folder: string): Promise<void> {
  for (let left = processesIn(folder); left.length > 0; left = processesIn(folder)) {
    for (const { pid } of left) killNow(pid)
    await wait(20)
  }
}

/** One that has just ended by itself is no matter. */
function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The processes in which the graphs of a Python project run, by the pid of their server. */
export function graphHostsOf(server: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isGraphHost(name, server))
    .map(Number)
}

function isGraphHost(pid: string, server: number): boolean {
  try {
    const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    const command = Number(parent) === server ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : ''
    return command.includes('hosts/python/run.py')
  } catch {
    return false
  }
}

/** What a process holds in memory, in MB. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6
}

function describe(pid: number, folder: string): ProcessInfo | undefined {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    const isThere = command.includes(folder) || readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
    return isThere && command !== '' ? { pid, command } : undefined
  } catch {
    return undefined
  }
}

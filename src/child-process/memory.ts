/** How much memory processes take, as Linux tells it; 0 where the system does not say. */
import { readdir, readFile } from 'node:fs/promises'

const KIB = 1024

/** What the process has in memory, in bytes; 0 for one that has ended. */
export async function residentBytes(pid: number | string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * KIB
}

/** The same of all processes of a group: pages that several share count for each. */
export async function groupResidentBytes(group: number): Promise<number> {
  const names = await readdir('/proc').catch(() => [])
  const pids = names.filter((name) => /^\d+$/.test(name))
  const sizes = await Promise.all(
    pids.map(async (pid) => ((await groupOf(pid)) === group ? residentBytes(pid) : 0)),
  )
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

/** `undefined` for a process that has ended meanwhile. */
async function groupOf(pid: string): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The command's name comes in parentheses and may hold any character; the group is the third after.
  return stat === undefined
    ? undefined
    : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2])
}

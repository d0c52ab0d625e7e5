/** How much memory a command takes with all that it started. */
import { readdir, readFile } from 'node:fs/promises'

const KIB = 1024

/**
 * What the processes of a group have in memory, in bytes: pages that several share count for each.
 * 0 where the system does not say; Linux does.
 */
export async function groupMemoryBytes(group: number): Promise<number> {
  const names = await readdir('/proc').catch(() => [])
  const pids = names.filter((name) => /^\d+$/.test(name))
  const sizes = await Promise.all(pids.map((pid) => residentBytes(pid, group)))
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

/** 0 for a process of another group, and for one that has ended meanwhile. */
async function residentBytes(pid: string, group: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The command's name comes in parentheses and may hold any character; the group is the third after.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[2] !== String(group)) return 0
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * KIB
}

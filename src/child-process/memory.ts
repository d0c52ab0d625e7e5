/** How much memory processes take, as Linux tells it; 0 where the system does not say. */
import { readdir, readFile } from 'node:fs/promises'

const KIB = 1024

/** What the process has in memory, in bytes; 0 for one that has ended. */
export async function residentBytes(pid: number | string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * KIB
}

/** The same of the process and of all that it and its children have started, in whichever group. */
export async function familyResidentBytes(pid: number | string): Promise<number> {
  const children = await childrenOf(pid)
  const sizes = await Promise.all([residentBytes(pid), ...children.map(familyResidentBytes)])
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

/** Each thread has its own. */
async function childrenOf(pid: number | string): Promise<string[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = threads.map((thread) =>
    readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => ''),
  )
  return (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean))
}

/**
 * Answers a function that measures all processes of a group: pages that several share count for each.
 * It remembers who is of another group. A process is born into its parent's, and the machine has
 * hundreds: to look at all of them each time cost half the processor time of a control plane that builds.
 */
export function measureGroup(group: number): () => Promise<number> {
  let others = new Set<string>()
  const measure = async (pid: string) => {
    const its = await groupOf(pid)
    if (its === group) return residentBytes(pid)
    if (its !== undefined) others.add(pid)
    return 0
  }
  return async () => {
    const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
    const unknown = pids.filter((pid) => !others.has(pid))
    others = new Set(pids.filter((pid) => others.has(pid)))
    const sizes = await Promise.all(unknown.map(measure))
    return sizes.reduce((sum, bytes) => sum + bytes, 0)
  }
}

/** `undefined` for a process that has ended meanwhile. */
async function groupOf(pid: string): Promise<number | undefined> {
  return (await statOf(pid))?.group
}

/**
 * Whether anything of the group still runs. What has ended and is only there until its parent has seen that does
 * not count: the init of a container may take its time for it, or never do it. `undefined`: the system does not say.
 */
export async function isGroupRunning(group: number): Promise<boolean | undefined> {
  const names = await readdir('/proc').catch(() => [])
  const stats = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(statOf))
  if (!stats.some((stat) => stat !== undefined)) return undefined
  return stats.some((stat) => stat?.group === group && !ENDED.has(stat.state))
}

/** Zombie, and dead. */
const ENDED: ReadonlySet<string> = new Set(['Z', 'X'])

async function statOf(pid: string): Promise<{ state: string; group: number } | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // The command's name comes in parentheses and may hold any character; state, parent and group come after it.
  const [state = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state, group: Number(group) }
}

/** The processor time of a process and its children: `/proc` on Linux. */
import { readdirSync, readFileSync } from 'node:fs'
import { repeatedBy } from './clock.ts'

/** A tick of `/proc`, in µs: USER_HZ is 100 on every Linux that Node supports. */
const TICK_US = 10_000

/** User and system time so far, in µs. */
export function cpuUs(pid: number): number {
  return treeOf(pid).reduce((sum, one) => sum + ticksOf(one) * TICK_US, 0)
}

/** The same in ns, by the kernel's account of each living thread: for work of less than a tick. */
export function workedNs(pid: number): number {
  const threads = treeOf(pid).flatMap((one) =>
    readdirSync(`/proc/${one}/task`).map((thread) => `/proc/${one}/task/${thread}/schedstat`),
  )
  return threads.reduce((sum, path) => sum + Number(readFileSync(path, 'utf8').split(' ')[0]), 0)
}

/** µs of processor time per repetition of the work, by `clients` that begin again when they are done. */
export async function cpuPerWork(
  work: () => Promise<unknown>,
  { pid, clients, times }: { pid: number; clients: number; times: number },
): Promise<number> {
  const before = cpuUs(pid)
  await repeatedBy(work, { clients, times })
  return (cpuUs(pid) - before) / times
}

function ticksOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program, in brackets, may have blanks.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}

/** The process and all its descendants. */
export function treeOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return [pid, ...text.split(' ').filter(Boolean).map(Number).flatMap(treeOf)]
}

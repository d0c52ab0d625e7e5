/** The processes that have to do with a folder, as Linux tells them. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

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

function describe(pid: number, folder: string): ProcessInfo | undefined {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    const isThere = command.includes(folder) || readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
    return isThere && command !== '' ? { pid, command } : undefined
  } catch {
    return undefined
  }
}

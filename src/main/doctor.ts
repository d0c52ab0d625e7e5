/** `runyard doctor`: looks at the machine and the data folder, and says how to mend what is wrong. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { UpConfig } from '../config.ts'
import { inspectData } from '../doctor/data.ts'
import type { Finding } from '../doctor/finding.ts'
import { inspectMachine } from '../doctor/machine.ts'
import { lockFolder } from '../storage/db/sqlite/folder-lock.ts'

/** All there is to say, whether or not a Runyard is running. */
export async function examine(config: UpConfig): Promise<Finding[]> {
  const isHeld = isInUse(join(config.dataDir, 'lock.db'))
  return [...(await inspectMachine(config, isHeld)), ...(await inspectData(config, isHeld))]
}

/** A line for each, and how to mend it below. */
export function describeFindings(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length))
  return findings
    .map(({ what, status, says, mend }) => {
      const line = `${status.padEnd('warning'.length)}  ${what.padEnd(width)}  ${says}`
      return mend === undefined ? line : `${line}\n${' '.repeat(9)}to mend it: ${mend}`
    })
    .join('\n')
}

function isInUse(lock: string): boolean {
  if (!existsSync(lock)) return false
  try {
    lockFolder(lock)()
    return false
  } catch {
    return true
  }
}

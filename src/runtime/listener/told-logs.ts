/** The logs that listeners report, kept in the place of local agent servers' logs. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Log } from '../../core/log.ts'
import { deployLogPaths } from '../deploy-log.ts'

const MAX_BYTES = 10 * 1024 * 1024

/** Appends lines, with their times, to a revision's log. If it cannot be written, `log` gets a warning. */
export function createToldLogs(
  logsDir: string,
  log: Log,
): (revision_id: string, text: string) => void {
  return (revision_id, text) => {
    const [path, older] = deployLogPaths(logsDir, revision_id)
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
      if (size > MAX_BYTES) renameSync(path, older)
      appendFileSync(path, text, { mode: 0o600 })
    } catch (error) {
      log.warn({ err: error, path }, 'The deploy log cannot be written.')
    }
  }
}

/** A listener's data folder: a key of its own, and the list of its revisions. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { replaceFile } from './replace-file.ts'

const KEY_BYTES = 32

/** The key for tokens of containers: the same for each process of this listener. Secret. */
export function findDriverKey(dataDir: string): Uint8Array {
  const file = join(dataDir, 'driver.key')
  if (!existsSync(file)) replaceFile(file, randomBytes(KEY_BYTES).toString('base64'))
  const key = Buffer.from(readFileSync(file, 'utf8'), 'base64')
  if (key.length === KEY_BYTES) return key
  throw new AppError(
    'bad_request',
    `${file} is not whole. Remove it; what runs here is then not found again, and has to be ended by hand.`,
  )
}

/** Deployments by their revisions that run here. The driver or the next orders restore lost entries. */
export function openRevisionsFile(dataDir: string, log: Log) {
  const file = join(dataDir, 'revisions.json')
  return {
    load(): Record<string, string> {
      try {
        return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
      } catch (error) {
        log.warn({ err: error, file }, 'what ran here cannot be read')
        return {}
      }
    },
    save(deployments: Record<string, string>): void {
      try {
        replaceFile(file, JSON.stringify(deployments))
      } catch (error) {
        log.warn({ err: error, file }, 'what runs here cannot be written')
      }
    },
  }
}

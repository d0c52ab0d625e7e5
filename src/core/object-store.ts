/** Objects by name, in a folder of this machine or in an S3-compatible store. */
import { AppError } from './errors.ts'

export interface ObjectStore {
  /** Whether another machine with the same settings finds the same objects. */
  readonly isShared: boolean
  /**
   * Stores the body under the name, replacing an older object, and returns its size in bytes. Stores all of it or
   * nothing, also when `body` throws; that error is passed on. Throws `unavailable` if the store cannot be reached or
   * is full.
   */
  put(name: string, body: AsyncIterable<Uint8Array>): Promise<number>
  /** `undefined`: there is none. A caller that does not read the whole body must end it. */
  get(name: string): Promise<StoredObject | undefined>
  /** In bytes; `undefined`: there is none. */
  size(name: string): Promise<number | undefined>
  /** The names that begin with the prefix, which ends with `/`, or is empty for all. */
  list(prefix: string): Promise<string[]>
  /** No error if there is none. */
  remove(name: string): Promise<void>
  /** Its path in a store of this machine, existing or not. Absent: the store is elsewhere. */
  pathOf?(name: string): string
  /**
   * A URL for a GET without a key during this time, at most `MAX_SIGNED_MS`, whether the object exists or not. Absent:
   * the store has no URLs.
   */
  signedUrl?(name: string, lifetimeMs: number): Promise<string>
}

export interface StoredObject {
  bytes: number
  body: AsyncIterable<Uint8Array>
}

/** How long an S3 signature can last, in ms: a week. */
export const MAX_SIGNED_MS = 7 * 24 * 3_600_000

const NAME = /^[A-Za-z0-9][\w.-]{0,99}(\/[A-Za-z0-9][\w.-]{0,99}){0,8}$/

/**
 * A name is one to nine words, joined by `/`, of letters, digits, `_`, `.` and `-`, each beginning with a
 * letter or a digit; so none climbs out of a folder. Throws `bad_request` for any other.
 */
export function checkObjectName(name: string): string {
  if (NAME.test(name)) return name
  throw new AppError('bad_request', 'The object path is malformed: use the one of upload-url.')
}

/** Objects by name, wherever they are kept: in a folder of this machine, or in an S3-compatible store. */
import { AppError } from './errors.ts'

export interface ObjectStore {
  /** Whether another machine with the same settings finds the same objects. */
  readonly isShared: boolean
  /**
   * Keeps what comes under the name and answers how many bytes it is; what was there is replaced. All
   * of it is there afterwards, or nothing of it: also when `body` throws, whose error is passed on.
   * Throws `unavailable` where the store cannot be reached or takes no more.
   */
  put(name: string, body: AsyncIterable<Uint8Array>): Promise<number>
  /** `undefined`: there is none. Whoever does not read the body to its end has to end it. */
  get(name: string): Promise<StoredObject | undefined>
  /** In bytes; `undefined`: there is none. */
  size(name: string): Promise<number | undefined>
  /** The names that begin with the prefix, which ends with `/`, or is empty for all. */
  list(prefix: string): Promise<string[]>
  /** Nothing there is no error. */
  remove(name: string): Promise<void>
  /** Where a store of this machine keeps it, whether it is there or not. Absent: it is elsewhere. */
  pathOf?(name: string): string
  /**
   * Where anybody may GET it for so long, at most `MAX_SIGNED_MS`, whether it is there or not. Absent: the store has
   * no addresses of its own.
   */
  signedUrl?(name: string, lifetimeMs: number): Promise<string>
}

export interface StoredObject {
  bytes: number
  body: AsyncIterable<Uint8Array>
}

/** The longest that S3 signs for, in ms: a week. */
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

/** The file of an open SQLite database: whether it is still there, and what is wrong with it. */
import { closeSync, mkdirSync, openSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError, DatabaseAway } from '../../../core/errors.ts'

/** How old the last check of the file may be, in ms. */
const LOOKED_EVERY_MS = 1000
/**
 * How much room a disk that was full must have until it counts as one that takes writes, in bytes: twice what a
 * journal takes that commits empty. With a few pages a run could be claimed that then fails.
 */
const ENOUGH_ROOM_BYTES = 8 * 2 ** 20

/**
 * SQLite continues with a file that was removed or replaced, and what it writes is lost. So callers check the file,
 * once a second at most.
 */
export class DatabaseFile {
  readonly path: string
  /** The identities of the file and its journal when they were first seen. */
  readonly #seen = new Map<string, string>()
  #lookedAt = performance.now()
  #isGone = false
  #wasFull = false

  readonly #freeBytes: typeof freeBytes

  /** Tests replace `room`, which measures the free space. */
  constructor(path: string, room = freeBytes) {
    this.path = path
    this.#freeBytes = room
  }

  /** Creates the file if it is missing, readable by its owner only. The journal gets the same mode. */
  create(): void {
    if (this.path === ':memory:') return
    mkdirSync(dirname(this.path), { recursive: true })
    closeSync(openSync(this.path, 'a', 0o600))
  }

  /**
   * Notes the identity of the file. Call it once the connection has its journal open: before that,
   * another process that closes the database removes the journal, as SQLite does, and a new one replaces
   * it.
   */
  note(): void {
    if (this.path !== ':memory:') this.#look()
  }

  /** Whether the file is gone. A file that comes back is not. */
  get isGone(): boolean {
    if (this.path !== ':memory:' && performance.now() - this.#lookedAt >= LOOKED_EVERY_MS) {
      this.#look()
    }
    return this.#isGone
  }

  /** Throws `DatabaseAway` once it is gone. */
  require(): void {
    if (!this.isGone) return
    throw new DatabaseAway(
      `The database ${this.path} was removed or replaced while it was in use; nothing was done. ` +
        'Put the file back, or start again without it.',
      undefined,
    )
  }

  /** The error for callers: see `asRefusal`. */
  refusal(error: unknown): unknown {
    if (isFull(error)) this.#wasFull = true
    return asRefusal(this.path, error)
  }

  /** Throws `DatabaseAway` while its disk was full and has hardly any room since. */
  requireRoom(): void {
    if (!this.#wasFull) return
    if (this.#freeBytes(dirname(this.path)) < ENOUGH_ROOM_BYTES)
      throw diskFull(this.path, undefined)
    this.#wasFull = false
  }

  #look(): void {
    this.#lookedAt = performance.now()
    this.#isGone = [this.path, `${this.path}-wal`].some((path) => {
      const identity = identityOf(path)
      const known = this.#seen.get(path)
      // The journal appears with the first write.
      if (known === undefined && identity !== undefined) this.#seen.set(path, identity)
      return known !== undefined && identity !== known
    })
  }
}

/** How many bytes of this folder's file system are free for users other than root. */
function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** `undefined`: it does not exist, or cannot be reached. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev} ${ino}`
  } catch {
    return undefined
  }
}

/** SQLite's primary codes, in the lower bits of its result codes. */
const CANNOT_OPEN = 14
const FULL = 13
const NO_WRITES: readonly number[] = [8, 10]
const DAMAGED: readonly number[] = [11, 26]

/**
 * The error for callers: `DatabaseAway` when the file is read-only or its disk is full or fails,
 * `unavailable` when the file is damaged, otherwise the error itself.
 */
function asRefusal(path: string, error: unknown): unknown {
  if (isFull(error)) return diskFull(path, error)
  const { errcode, message } = error as Error & { errcode?: number }
  if (errcode === undefined) return error
  const code = errcode & 0xff
  if (NO_WRITES.includes(code)) {
    return new DatabaseAway(`The database ${path} takes no writes now: ${message}.`, error)
  }
  if (!DAMAGED.includes(code)) return error
  const hint = 'Replace it with an earlier copy, or move it away to start with an empty one.'
  const what = `The database ${path} is damaged, or is not a database: ${message}. ${hint}`
  return new AppError('unavailable', what, { cause: error })
}

function isFull(error: unknown): boolean {
  const { errcode } = error as { errcode?: number }
  return errcode !== undefined && (errcode & 0xff) === FULL
}

function diskFull(path: string, cause: unknown): DatabaseAway {
  const what = `The disk of the database ${path} is full: nothing was written.`
  const hint = `Make room in ${dirname(path)}, 8 MiB at least; then try again. What waits goes on by itself.`
  return new DatabaseAway(`${what} ${hint}`, cause)
}

/** The error when the file could not be opened, for the operator. */
export function cannotOpen(path: string, error: unknown): unknown {
  const { code, errcode, message } = error as NodeJS.ErrnoException & { errcode?: number }
  const isOfSystem = typeof code === 'string' && /^E[A-Z]+$/.test(code)
  if (!isOfSystem && (errcode === undefined || (errcode & 0xff) !== CANNOT_OPEN)) {
    return asRefusal(path, error)
  }
  const what = `The database ${path} cannot be opened: ${message}. Runyard must be able to write there.`
  return new AppError('unavailable', what, { cause: error })
}

/**
 * An open transaction on either database. It is valid until its work ends, and inner transactions join
 * it.
 */
import { AppError } from '../../core/errors.ts'
import type { Db } from './db.ts'

/**
 * Throws within a transaction: the outer `Db` would wait for a connection that this transaction may be
 * using.
 */
export function refuseWithin(current: OpenTransaction<unknown> | undefined): void {
  if (!current?.isOpen) return
  throw new AppError(
    'internal',
    'Within a transaction, use only the store that its work was given.',
  )
}

export abstract class OpenTransaction<Connection> implements Db {
  abstract readonly dialect: Db['dialect']
  abstract readonly json: Db['json']
  abstract readonly rowLocks: Db['rowLocks']
  abstract readonly nowMs: string
  readonly isGone = false
  #connection: Connection | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  requireRoom(): void {}

  get isOpen(): boolean {
    return this.#connection !== undefined
  }

  /** Refuses all further statements. */
  end(): void {
    this.#connection = undefined
  }

  abstract all<T>(...statement: Parameters<Db['all']>): Promise<T[]>
  abstract get<T>(...statement: Parameters<Db['get']>): Promise<T | undefined>
  abstract run(...statement: Parameters<Db['run']>): Promise<number>
  abstract runAhead(...statement: Parameters<Db['runAhead']>): Promise<void>
  abstract batch(...statements: Parameters<Db['batch']>): Promise<boolean>
  abstract script(sql: string): Promise<void>
  abstract vectors(): ReturnType<Db['vectors']>
  abstract sizeBytes(): Promise<number>

  async transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    this.open()
    return work(this)
  }

  async snapshot<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    this.open()
    return work(this)
  }

  async close(): Promise<void> {
    throw new AppError('internal', 'A transaction cannot be closed: it ends with its work.')
  }

  /** Throws `internal` once it has ended. */
  protected open(): Connection {
    if (this.#connection !== undefined) return this.#connection
    throw new AppError('internal', 'The transaction is over: its store cannot be used any more.')
  }
}

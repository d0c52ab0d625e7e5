/** What an open transaction is on either database: good until its work ends, joined by what is begun within. */
import { AppError } from '../../core/errors.ts'
import type { Db } from './db.ts'

/** The outer `Db` would wait for a connection that its own transaction may be holding. */
export function refuseWithin(current: OpenTransaction<unknown> | undefined): void {
  if (!current?.isOpen) return
  throw new AppError('internal', 'Within a transaction only what it was handed may be used.')
}

export abstract class OpenTransaction<Connection> implements Db {
  abstract readonly dialect: Db['dialect']
  abstract readonly json: Db['json']
  abstract readonly rowLocks: Db['rowLocks']
  readonly isGone = false
  #connection: Connection | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  get isOpen(): boolean {
    return this.#connection !== undefined
  }

  /** What is asked of it from now on is refused. */
  end(): void {
    this.#connection = undefined
  }

  abstract all<T>(...statement: Parameters<Db['all']>): Promise<T[]>
  abstract get<T>(...statement: Parameters<Db['get']>): Promise<T | undefined>
  abstract run(...statement: Parameters<Db['run']>): Promise<number>
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
    throw new AppError('internal', 'A transaction is not closed: it ends with its work.')
  }

  /** Throws `internal` once it has ended. */
  protected open(): Connection {
    if (this.#connection !== undefined) return this.#connection
    throw new AppError('internal', 'The transaction is over: what it was handed is no more of use.')
  }
}

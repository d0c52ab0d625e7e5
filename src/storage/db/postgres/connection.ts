/** A pool of connections to one PostgreSQL database. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, Pool, type PoolClient, type QueryConfig, type QueryResult, types } from 'pg'
import type { DatabaseUrl } from '../../../core/database-url.ts'
import { AppError } from '../../../core/errors.ts'
import type { SqlValue, Statement } from '../db.ts'
import { cannotConnect, isTransient } from './errors.ts'
import { OneStatement } from './one-statement.ts'

/**
 * How long a caller waits for a connection, in ms: while the database restarts, or all connections are in
 * use.
 */
const CONNECT_LIMIT_MS = 5_000
/** How long to wait before the next try to connect, in ms. */
const RETRY_MS = 50
/**
 * The server ends a transaction whose process does nothing for this long, in ms, because others wait for its locks. The
 * time is shorter than a lease, so that a server that takes over a run need not wait. It is longer than graph code
 * blocks a process at a time. A transaction that was ended starts again.
 */
const IDLE_IN_TRANSACTION_MS = 5_000
/** The most texts that are prepared. Later texts are composed at run time, and too rare to prepare. */
const MAX_PREPARED = 500

/** Set regardless of the database's own default. */
const ISOLATION = { default_transaction_isolation: 'read committed' }

const parseBytes: (text: string) => Buffer = types.getTypeParser(17)

/** Parsers for bigint, numeric (a sum of bigints), boolean and bytea, as `Db` promises. */
const PARSERS: Record<number, (text: string) => unknown> = {
  20: Number,
  1700: Number,
  16: (text) => (text === 't' ? 1 : 0),
  17: (text) => new Uint8Array(parseBytes(text)),
}

export class PostgresPool {
  readonly schema: string
  /** Put behind BEGIN: settings that cannot be made for the whole connection. */
  readonly perTransaction: string
  readonly isShared: boolean
  readonly oneStatement = new OneStatement()
  readonly #pool: Pool
  readonly #broken = new WeakSet<Client>()
  readonly #names = new Map<string, string>()
  /** The connections whose statements of this turn are still being gathered. */
  readonly #gathering = new WeakSet<Client>()
  #closing: Promise<void> | undefined

  constructor(url: DatabaseUrl, schema: string) {
    const settings = {
      search_path: `${schema}, public`,
      statement_timeout: String(url.statementTimeoutMs),
      idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS),
    }
    this.schema = schema
    this.isShared = url.isShared
    this.perTransaction = url.isShared ? setLocal(settings) : ''
    this.#pool = new Pool({
      connectionString: url.connectionString,
      max: url.poolSize,
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
      application_name: 'runyard',
      keepAlive: true,
      pipeline: true,
      types: { getTypeParser: parserOf },
      ...(!url.isShared && { options: asOptions({ ...settings, ...ISOLATION }) }),
    })
    // A connection that breaks while unused only leaves the pool.
    this.#pool.on('error', () => {})
    // A connection that breaks in use rejects its statements. Without a listener the event would end the
    // process.
    this.#pool.on('connect', (client) => {
      client.on('error', () => this.#broken.add(client))
    })
  }

  /** A connection for the caller alone, until `release`. Throws `unavailable`. */
  async acquire(): Promise<PoolClient> {
    const deadline = performance.now() + CONNECT_LIMIT_MS
    for (;;) {
      if (this.#closing) throw closed()
      try {
        return await this.#pool.connect()
      } catch (error) {
        if (!isTransient(error) || performance.now() > deadline) throw cannotConnect(error)
      }
      await sleep(RETRY_MS)
    }
  }

  /** Whether the connection is known to be lost, so that nothing can be sent on it. */
  isBroken(client: PoolClient): boolean {
    return this.#broken.has(client)
  }

  /** Sends a statement. Throws like `toQuery`. */
  async query(client: PoolClient, statement: Statement): Promise<QueryResult> {
    return this.send(client, this.toQuery(statement))
  }

  /**
   * Sends a statement, together with all that is sent on the connection in this turn of the event loop. The driver
   * would write each statement to the socket by itself.
   */
  send(client: PoolClient, query: QueryConfig | string): Promise<QueryResult> {
    this.#gather(client)
    // With our own callback. The driver's, and the rows with it, would stay until a full garbage collection: V8 places
    // a function that is assigned to a property in the old generation.
    return new Promise((resolve, reject) => {
      client.query(query as QueryConfig, (error: Error | null, result: QueryResult) =>
        error ? reject(error) : resolve(result),
      )
    })
  }

  /**
   * The statement for the driver. It is prepared by name when the connection stays ours. Throws
   * `bad_request` for a value that cannot be stored; so it is called before anything is sent.
   */
  toQuery({ sql, params }: Statement): QueryConfig {
    const name = this.isShared ? undefined : this.#nameOf(sql)
    const values = params.map(checked)
    return { text: sql, values, ...(name !== undefined && { name }) }
  }

  /** Waits for connections in use. */
  close(): Promise<void> {
    this.#closing ??= this.#pool.end()
    return this.#closing
  }

  #gather(client: PoolClient): void {
    if (this.#gathering.has(client)) return
    const { stream } = client.connection
    this.#gathering.add(client)
    stream.cork()
    process.nextTick(() => {
      this.#gathering.delete(client)
      stream.uncork()
    })
  }

  #nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql)
    if (known !== undefined || this.#names.size >= MAX_PREPARED) return known
    const name = `s${this.#names.size}`
    this.#names.set(sql, name)
    return name
  }
}

function parserOf(oid: number, format?: string) {
  const own = format === 'binary' ? undefined : PARSERS[oid]
  return own ?? types.getTypeParser(oid, format as 'text')
}

/** The texts of PostgreSQL cannot hold this one character. */
function checked(value: SqlValue): SqlValue {
  if (typeof value !== 'string' || !value.includes('\0')) return value
  throw new AppError(
    'bad_request',
    'The character U+0000 cannot be stored in a text; leave it out.',
  )
}

function closed(): AppError {
  return new AppError('unavailable', 'The database was closed; nothing was done.')
}

function asOptions(settings: Record<string, string>): string {
  const parts = Object.entries(settings).map(([name, value]) => `-c ${name}=${escaped(value)}`)
  return parts.join(' ')
}

function escaped(value: string): string {
  return value.replace(/ /g, '\\ ')
}

function setLocal(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `SET LOCAL ${name} = ${value};`)
    .join(' ')
}

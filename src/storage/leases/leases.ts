/** The fencing check for every write of a run, in the transaction of the write. */

import type { Lease } from '../../core/agent/run.ts'
import { AppError } from '../../core/errors.ts'
import type { Db, Statement } from '../db/db.ts'

/** A condition on `runs`: $1 is the run, $2 the server, $3 the token. */
export const HELD = `run_id = $1 AND lease_server_id = $2 AND lease_token = $3 AND status = 'running'`

/** The parameters of `HELD`. */
export function heldParams(lease: Lease): [string, string, number] {
  return [lease.run_id, lease.server_id, lease.token]
}

/** A SELECT that finds a row if the lease is held. It stays held until the transaction ends. */
function heldStatement(db: Db, lease: Lease): Statement {
  return {
    sql: `SELECT 1 FROM runs WHERE ${HELD}${db.rowLocks.wait}`,
    params: heldParams(lease),
  }
}

/**
 * Whether the lease is held. The run stays this server's until the transaction ends: others wait for it
 * or skip it.
 */
export async function holdsLease(db: Db, lease: Lease): Promise<boolean> {
  const { sql, params } = heldStatement(db, lease)
  const row = await db.get(sql, params)
  return row !== undefined
}

/** Runs all statements under the lease. Throws `conflict` when it was lost. */
export async function batchUnder(
  db: Db,
  lease: Lease,
  statements: readonly Statement[],
): Promise<void> {
  if (await db.batch(statements, heldStatement(db, lease))) return
  throw leaseLost(lease)
}

function leaseLost({ run_id }: Lease): AppError {
  return new AppError(
    'conflict',
    `Run ${run_id} is not this server's any more: its lease was lost, nothing was written. Stop executing it.`,
  )
}

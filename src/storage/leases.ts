/** The fencing check that every write for a run goes through, in the transaction of the write. */
import { AppError } from '../core/errors.ts'
import type { Lease } from '../core/run.ts'
import type { Db } from './db.ts'

/** A condition on `runs`: $1 is the run, $2 the server, $3 the token. */
export const HELD = `run_id = $1 AND lease_server_id = $2 AND lease_token = $3 AND status = 'running'`

/** What `HELD` takes. */
export function heldParams(lease: Lease): [string, string, number] {
  return [lease.run_id, lease.server_id, lease.token]
}

/** The run stays this server's until the transaction ends: who takes it over waits, or passes by. */
export async function holdsLease(db: Db, lease: Lease): Promise<boolean> {
  const sql = `SELECT 1 FROM runs WHERE ${HELD}${db.rowLocks.wait}`
  const row = await db.get(sql, heldParams(lease))
  return row !== undefined
}

/** Throws `conflict` when the lease was lost. No lease: nothing to check. */
export async function requireLease(db: Db, lease: Lease | undefined): Promise<void> {
  if (!lease || (await holdsLease(db, lease))) return
  throw new AppError(
    'conflict',
    `Run ${lease.run_id} is not this server's any more: its lease was lost, nothing was written. Stop executing it.`,
  )
}

/**
 * Fires due crons. The transaction that adds the run also advances the due time, and only if it is
 * unchanged since it was read, so that only one of several servers fires.
 *
 * If due times were missed while no server ran, the cron fires once, for the latest of them, and its next
 * due time is computed from now.
 */

import type { AgentStore } from '../../core/agent/agent-store.ts'
import type { CronRun, StoredCron } from '../../core/agent/cron.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import { timestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Parts } from '../agent-server-parts.ts'
import type { RunRequest } from '../runs/new-run.ts'
import { type Admission, admitRun, prepareRun, transactRuns } from '../runs/run-creation.ts'
import { runRequest } from '../runs/run-request.ts'
import type { RunCreate } from '../runs/run-schemas.ts'
import { nextRunDate } from './schedule.ts'

/** How many crons are read at once. */
const BATCH = 100

/** A database failure is logged and tried again at the next look. A refused run is not tried again. */
export async function fireDueCrons(parts: Parts): Promise<void> {
  for (;;) {
    const due = await parts.store.crons.listDue(timestamp(parts.clock), BATCH)
    let failed = 0
    for (const cron of due) if (!(await tryToFire(parts, cron))) failed += 1
    if (due.length < BATCH || failed > 0) return
  }
}

/** `false`: the cron is still due. */
async function tryToFire(parts: Parts, cron: StoredCron): Promise<boolean> {
  const { cron_id, next_run_date: due_at } = cron
  try {
    await fire(parts, cron)
    return true
  } catch (error) {
    if (!isRefusal(error)) {
      parts.log.error({ cron_id, due_at, err: error }, 'could not fire a cron; it is tried again')
      return false
    }
    parts.log.warn({ cron_id, due_at, err: error }, 'a cron was due, and its run was refused')
    return noteRefusal(parts, cron, String((error as Error).message))
  }
}

async function fire(parts: Parts, cron: StoredCron): Promise<void> {
  const admission = await prepareRun(parts, cron.caller, cron.thread_id, requestOf(cron))
  const next = nextRunDate(cron, parts.clock.now())
  const [admitted] = await transactRuns(parts, [admission], async (tx) =>
    (await tx.crons.advance(cron, next)) ? [await admit(tx, cron, admission)] : [],
  )
  if (!admitted) return
  const { run_id } = admitted.run
  parts.log.debug({ cron_id: cron.cron_id, run_id, due_at: cron.next_run_date }, 'fired a cron')
}

/** Starts a run that is not due; `next_run_date` stays. Throws if the run is refused. */
export async function fireNow(parts: Parts, cron: StoredCron): Promise<QueuedRun> {
  const admission = await prepareRun(parts, cron.caller, cron.thread_id, requestOf(cron))
  const work = async (tx: AgentStore) => [await admit(tx, cron, admission)]
  const [admitted] = await transactRuns(parts, [admission], work)
  return (admitted as { run: QueuedRun }).run
}

async function admit(tx: AgentStore, { cron_id }: StoredCron, admission: Admission) {
  const admitted = await admitRun(tx, admission)
  const { run_id, thread_id, created_at, status } = admitted.run
  await tx.crons.noteRun(cron_id, { run_id, thread_id, created_at, status, error: null })
  return admitted
}

/** `false`: the cron is still due. */
async function noteRefusal(
  { store, clock }: Parts,
  cron: StoredCron,
  error: string,
): Promise<boolean> {
  const refused: CronRun = {
    ...{ run_id: null, thread_id: cron.thread_id, created_at: timestamp(clock) },
    ...{ status: 'refused', error },
  }
  return store.transaction(async ({ crons }) => {
    if (!(await crons.advance(cron, nextRunDate(cron, clock.now())))) return false
    await crons.noteRun(cron.cron_id, refused)
    return true
  }, [])
}

function requestOf({ payload, metadata, cron_id, on_run_completed }: StoredCron): RunRequest {
  const { metadata: given, ...request } = runRequest({
    ...payload,
    metadata,
  } as unknown as RunCreate)
  const fired = { ...request, metadata: { ...given, cron_id } }
  return on_run_completed ? { ...fired, on_completion: on_run_completed } : fired
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code !== 'unavailable' && error.code !== 'internal'
}

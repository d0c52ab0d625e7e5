/** The verbs that read, await and follow existing runs. */
import type { AgentStore } from '../../core/agent/agent-store.ts'
import type { Caller, MetadataFilter } from '../../core/agent/authorization.ts'
import { openRunEnd } from '../../core/agent/event.ts'
import type { QueuedRun, RunStatus, StoredRun } from '../../core/agent/run.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'
import { authorizeOnThread, getThread, requireThread } from '../threads/threads.ts'
import { finalValues } from './run-on-wire.ts'

export interface RunId {
  thread_id: string
  run_id: string
}

/** A page of a thread's runs. */
interface RunPage {
  status?: RunStatus
  limit: number
  offset: number
}

/** The thread's runs, the latest first. Throws `not_found`. */
export async function listRuns(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  thread_id: string,
  page: RunPage,
): Promise<StoredRun[]> {
  await getThread(parts, caller, thread_id)
  return parts.store.runs.list(thread_id, page)
}

/** Throws `not_found`. */
export async function getRun(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  which: RunId,
): Promise<QueuedRun> {
  const filter = await authorizeOnThread(parts, caller, 'read', which.thread_id)
  return findRun(parts.store, which, filter)
}

/** The run, if it is on that thread and the caller may see the thread. Throws `not_found`. */
export async function findRun(
  store: AgentStore,
  which: RunId,
  filter: MetadataFilter | undefined,
): Promise<QueuedRun> {
  await requireThread(store.threads, which.thread_id, filter)
  const run = await store.runs.get(which.run_id)
  if (run?.thread_id === which.thread_id) return run
  throw new AppError('not_found', `Run ${which.run_id} not found.`)
}

/**
 * Waits until the run has ended and returns its final values, or `{__error__}` if it failed, as JSON.
 * Rejects with the signal's reason.
 */
export async function waitForRun(
  parts: Pick<Parts, 'store' | 'events'>,
  run: RunId,
  signal: AbortSignal,
): Promise<string> {
  const { end, values } = openRunEnd(await parts.events.waitForEndData(run.run_id, signal))
  if (end.error) return JSON.stringify({ __error__: end.error })
  return values ?? JSON.stringify(await rememberedResult(parts, run))
}

/**
 * Checks that the caller may read the run's log, also for two minutes after the removal of a stateless
 * run's thread. Without `thread_id`, finds the thread by the run. Throws `not_found`.
 */
export async function requireLog(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  which: { thread_id?: string; run_id: string },
): Promise<RunId> {
  const { run_id } = which
  const thread_id = await threadOf(parts.store, run_id)
  const isOther = which.thread_id !== undefined && which.thread_id !== thread_id
  if (!thread_id || isOther) throw new AppError('not_found', `Run ${run_id} not found.`)
  const filter = await authorizeOnThread(parts, caller, 'read', thread_id)
  await requireThread(parts.store.threads, thread_id, filter, { isDropped: true })
  return { thread_id, run_id }
}

async function threadOf(store: AgentStore, run_id: string): Promise<string | undefined> {
  const run = await store.runs.glance(run_id)
  return run?.thread_id ?? (await store.events.read(run_id, -1, 1))[0]?.thread_id
}

/** The result of a run whose log lacks it or has expired, read from the run's row and its thread. */
async function rememberedResult(
  parts: Pick<Parts, 'store'>,
  { run_id, thread_id }: RunId,
): Promise<JsonObject> {
  const { error, status } = (await parts.store.runs.get(run_id)) ?? {}
  if (error) return { __error__: { ...error } }
  return finalValues(await parts.store.threads.getState(thread_id), status)
}

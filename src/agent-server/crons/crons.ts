/** The verbs on crons. */
import { randomUUID } from 'node:crypto'
import { type Caller, type MetadataFilter, matchesFilter } from '../../core/agent/authorization.ts'
import type { Cron, CronPage, CronQuery, CronStore, StoredCron } from '../../core/agent/cron.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import { timestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Parts } from '../agent-server-parts.ts'
import { resolveAssistant } from '../assistants/assistants.ts'
import { systemAssistantId } from '../assistants/system.ts'
import { requireMetadataFits } from '../limits.ts'
import { authorizeOnThread, requireThread } from '../threads/threads.ts'
import { fireNow } from './firing.ts'
import { checkSchedule, nextRunDate } from './schedule.ts'

/** The fields of a cron that a client sets. */
interface CronRequest extends Pick<Cron, 'schedule' | 'timezone' | 'end_time' | 'enabled'> {
  assistant_id: string
  thread_id: string | null
  metadata: JsonObject
  on_run_completed: Cron['on_run_completed']
  /** The other fields of a run's creation. */
  payload: JsonObject
}

/**
 * Adds a cron, whose runs have the caller as creator. Throws `not_found` (assistant, thread), `invalid`
 * (schedule, time zone), and the refusal of its webhook.
 */
export async function createCron(
  parts: Parts,
  caller: Caller,
  request: CronRequest,
): Promise<Cron> {
  const value = { ...request, cron_id: randomUUID(), metadata: { ...request.metadata } }
  await parts.authorize(caller, { resource: 'crons', action: 'create' }, value)
  requireMetadataFits(parts.limits, value.metadata)
  checkSchedule(value)
  checkWebhook(parts, value.payload)
  const { assistant_id } = await resolveAssistant(parts, caller, value.assistant_id)
  const { thread_id } = value
  // A caller who may not create runs on the thread may not schedule them either.
  const mayRun =
    thread_id === null ? undefined : await authorizeOnThread(parts, caller, 'create_run', thread_id)
  const created_at = timestamp(parts.clock)
  const cron: StoredCron = {
    ...value,
    assistant_id,
    payload: { ...value.payload, assistant_id },
    created_at,
    updated_at: created_at,
    user_id: caller.identity ?? null,
    next_run_date: nextRunDate(value, parts.clock.now()),
    last_run: null,
    caller,
  }
  await parts.store.transaction(async ({ crons, threads }) => {
    if (thread_id !== null) await requireThread(threads, thread_id, mayRun)
    await crons.insert(cron)
  })
  parts.crons.wake()
  return cron
}

/** Throws `not_found`. */
export async function getCron(parts: Parts, caller: Caller, cron_id: string): Promise<Cron> {
  const filter = await parts.authorize(caller, { resource: 'crons', action: 'read' }, { cron_id })
  return requireCron(parts.store.crons, cron_id, filter)
}

/** A change: absent fields keep their value; `metadata` and `payload` are merged key by key. */
export type CronPatch = Partial<Omit<CronRequest, 'assistant_id' | 'thread_id'>>

/** Throws `not_found`, and like `createCron`. If its times change, the next due time counts from now. */
export async function patchCron(
  parts: Parts,
  caller: Caller,
  cron_id: string,
  patch: CronPatch,
): Promise<Cron> {
  const value = { ...patch, cron_id, metadata: { ...patch.metadata } }
  const filter = await parts.authorize(caller, { resource: 'crons', action: 'update' }, value)
  checkWebhook(parts, value.payload)
  const changed = await parts.store.transaction(async ({ crons }) => {
    const before = await requireCron(crons, cron_id, filter)
    const after = applyPatch(before, value, parts)
    requireMetadataFits(parts.limits, after.metadata, before.metadata)
    await crons.update(after)
    return after
  })
  parts.crons.wake()
  return changed
}

/**
 * Starts a run as if the cron were due now; its next due time stays. Throws `not_found`, and the run's
 * refusal.
 */
export async function runCron(parts: Parts, caller: Caller, cron_id: string): Promise<QueuedRun> {
  const filter = await parts.authorize(caller, { resource: 'crons', action: 'update' }, { cron_id })
  return fireNow(parts, await requireCron(parts.store.crons, cron_id, filter))
}

/** The cron's existing runs go on. Throws `not_found`. */
export async function deleteCron(parts: Parts, caller: Caller, cron_id: string): Promise<void> {
  const filter = await parts.authorize(caller, { resource: 'crons', action: 'delete' }, { cron_id })
  await parts.store.transaction(async ({ crons }) => {
    await requireCron(crons, cron_id, filter)
    await crons.delete(cron_id)
  })
}

type CronSearch = Omit<CronQuery, 'filter'> & CronPage

/** One page of the crons that the caller may see; `total` counts all pages. */
export async function searchCrons(
  parts: Parts,
  caller: Caller,
  { sort_by, sort_order, limit, offset, ...query }: CronSearch,
): Promise<{ crons: Cron[]; total: number }> {
  const seen = await narrow(parts, caller, query)
  const found = await parts.store.crons.search(seen, { sort_by, sort_order, limit, offset })
  const total = await parts.store.crons.count(seen)
  return { crons: found, total }
}

/** The number of crons that the caller may see. */
export async function countCrons(
  parts: Parts,
  caller: Caller,
  query: Omit<CronQuery, 'filter'>,
): Promise<number> {
  return parts.store.crons.count(await narrow(parts, caller, query))
}

function applyPatch(
  before: StoredCron,
  { metadata, payload, ...fields }: CronPatch,
  parts: Parts,
): StoredCron {
  const merged = { ...before, ...fields }
  const on_run_completed = before.thread_id === null ? merged.on_run_completed : null
  const after: StoredCron = {
    ...merged,
    on_run_completed,
    metadata: { ...before.metadata, ...metadata },
    payload: { ...before.payload, ...payload },
    // Always later than before, so that a firing that read the cron earlier detects the change.
    updated_at: new Date(
      Math.max(parts.clock.now(), Date.parse(before.updated_at) + 1),
    ).toISOString(),
  }
  if (TIMES.every((field) => after[field] === before[field])) return after
  checkSchedule(after)
  return { ...after, next_run_date: nextRunDate(after, parts.clock.now()) }
}

/** The fields that decide when a cron is due. */
const TIMES = ['schedule', 'timezone', 'end_time', 'enabled'] as const

function checkWebhook(parts: Parts, payload: JsonObject | undefined): void {
  const { webhook } = payload ?? {}
  if (typeof webhook === 'string') parts.webhooks.check(webhook)
}

async function requireCron(
  crons: CronStore,
  cron_id: string,
  filter: MetadataFilter | undefined,
): Promise<StoredCron> {
  const cron = await crons.get(cron_id)
  if (cron && matchesFilter(cron.metadata, filter)) return cron
  throw new AppError('not_found', `Cron ${cron_id} not found.`)
}

/** A graph's name means its system assistant. */
async function narrow(
  parts: Parts,
  caller: Caller,
  query: Omit<CronQuery, 'filter'>,
): Promise<CronQuery> {
  const value = { ...query, metadata: { ...query.metadata } }
  const filter = await parts.authorize(caller, { resource: 'crons', action: 'search' }, value)
  const { assistant_id } = value
  return {
    ...value,
    ...(assistant_id !== undefined && { assistant_id: idOf(assistant_id) }),
    ...(filter && { filter }),
  }
}

const ID_FORM = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function idOf(assistant: string): string {
  return ID_FORM.test(assistant) ? assistant.toLowerCase() : systemAssistantId(assistant)
}

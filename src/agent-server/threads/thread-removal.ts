/** Removes threads, or the older part of their history: through the API, and when they expire. */
import { type AgentStore, lockOf } from '../../core/agent/agent-store.ts'
import { type Caller, type MetadataFilter, matchesFilter } from '../../core/agent/authorization.ts'
import { END_EVENT, type RunEnd, type RunEvent } from '../../core/agent/event.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import type { TtlStrategy } from '../../core/agent/thread.ts'
import type { Parts } from '../agent-server-parts.ts'
import { announceCancelled, type Cancelled, type CancelParts } from '../runs/cancel.ts'
import { enqueuePosts } from '../webhooks/outbox.ts'
import { authorizeOnThread, requireThread } from './threads.ts'

/** The parts for removing threads after authorization. */
type RemovalParts = Omit<CancelParts, 'authorize'>

/**
 * Removes the thread with its runs and all their data. Pending and running runs are cancelled: their
 * followers see the end, and the runs write no more, since their leases are removed too. Throws
 * `not_found`.
 */
export async function deleteThread(
  parts: CancelParts,
  caller: Caller,
  thread_id: string,
): Promise<void> {
  const filter = await authorizeOnThread(parts, caller, 'delete', thread_id)
  const cancelled = await parts.store.transaction(
    async (tx) => {
      await requireThread(tx.threads, thread_id, filter)
      return removeThread(tx, thread_id, parts.clock.now())
    },
    [lockOf('thread', thread_id)],
  )
  announceRemoved(parts, thread_id, cancelled)
}

/**
 * `delete` removes the threads; `keep_latest` keeps only the data needed to continue from their latest
 * state. Skips missing threads, and with `keep_latest` busy ones: a rollback may need their history.
 * Returns the number of pruned threads.
 */
export async function pruneThreads(
  parts: CancelParts,
  caller: Caller,
  { thread_ids, strategy }: { thread_ids: string[]; strategy: TtlStrategy },
): Promise<number> {
  let pruned = 0
  for (const thread_id of new Set(thread_ids)) {
    const filter = await authorizeOnThread(parts, caller, 'delete', thread_id)
    if (await pruneThread(parts, { thread_id, strategy }, filter)) pruned += 1
  }
  return pruned
}

/** Removes or prunes the expired threads that `listExpired` returns. Returns their number. */
export async function removeExpired(
  parts: RemovalParts & Pick<Parts, 'log'>,
  limit: number,
  options: { shorterThanMinutes?: number } = {},
): Promise<number> {
  const now = parts.clock.now()
  const expired = await parts.store.threads.listExpired(now, limit, options)
  for (const one of expired) {
    const pruned = await pruneThread(parts, { ...one, expiredAt: now }, undefined)
    if (!pruned) parts.log.debug(one, 'an expired thread was used again, or is gone')
  }
  return expired.length
}

/** Part of a transaction. `now` in ms since 1970. */
export async function removeThread(
  tx: AgentStore,
  thread_id: string,
  now: number,
): Promise<Cancelled> {
  const active = await tx.runs.listActive(thread_id)
  const end = { status: 'rollback', error: null } as const
  for (const run of active) await enqueuePosts(tx, run, end, now)
  await tx.threads.delete(thread_id)
  const running = active.filter(({ status }) => status === 'running')
  return {
    running: running.map(({ run_id }) => ({ run_id, action: 'rollback' })),
    ended: active.map((run) => endOfRemoved(run, now)),
  }
}

/** Call after the transaction. Wakes followers of the thread and its runs, and stops runs that execute here. */
export function announceRemoved(
  parts: Pick<Parts, 'queue' | 'events' | 'webhooks'>,
  thread_id: string,
  cancelled: Cancelled,
): void {
  announceCancelled(parts, cancelled)
  parts.events.announceThread(thread_id)
}

interface Pruning {
  thread_id: string
  strategy: TtlStrategy
  /** Prunes only if the thread is still expired at this time, in ms since 1970. */
  expiredAt?: number
}

async function pruneThread(
  parts: RemovalParts,
  pruning: Pruning,
  filter: MetadataFilter | undefined,
): Promise<boolean> {
  const cancelled = await parts.store.transaction(
    (tx) => prune(tx, pruning, filter, parts),
    [lockOf('thread', pruning.thread_id)],
  )
  if (cancelled) announceRemoved(parts, pruning.thread_id, cancelled)
  return cancelled !== undefined
}

/** `undefined`: the thread was left unchanged. */
async function prune(
  tx: AgentStore,
  { thread_id, strategy, expiredAt }: Pruning,
  filter: MetadataFilter | undefined,
  { clock }: Pick<Parts, 'clock'>,
): Promise<Cancelled | undefined> {
  const thread = await tx.threads.get(thread_id)
  if (!thread || !matchesFilter(thread.metadata, filter)) return undefined
  const mustBeFree = strategy === 'keep_latest' || expiredAt !== undefined
  if (mustBeFree && (await tx.runs.hasActive(thread_id))) return undefined
  if (expiredAt !== undefined) {
    const ttl = await tx.threads.getTtl(thread_id)
    const livesMs = (ttl?.ttl_minutes ?? Number.POSITIVE_INFINITY) * 60_000
    if (Date.parse(thread.updated_at) + livesMs > expiredAt) return undefined
  }
  if (strategy === 'delete') return removeThread(tx, thread_id, clock.now())
  await tx.checkpoints.keepLatest(thread_id)
  if (expiredAt !== undefined) await tx.threads.markPruned(thread_id)
  return { running: [], ended: [] }
}

/** The run's log is removed with the thread: only current followers get this event. */
function endOfRemoved({ thread_id, run_id }: QueuedRun, now: number): RunEvent {
  const data = JSON.stringify({ status: 'rolled_back' } satisfies RunEnd)
  const run_seq = Number.MAX_SAFE_INTEGER
  return { thread_id, run_id, seq: 0, run_seq, event: END_EVENT, data, created_at: now }
}

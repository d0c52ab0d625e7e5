/** The verbs that add runs. */

import { type AgentStore, lockOf } from '../../core/agent/agent-store.ts'
import type { Assistant } from '../../core/agent/assistant.ts'
import { type Caller, type MetadataFilter, matchesFilter } from '../../core/agent/authorization.ts'
import { planMultitask } from '../../core/agent/multitask-strategy.ts'
import {
  type AddedClaim,
  type ClaimedRun,
  FIRST_TOKEN,
  type NewRun,
  type QueuedRun,
} from '../../core/agent/run.ts'
import type { NewThread, Thread } from '../../core/agent/thread.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { newUuid } from '../../core/uuid.ts'
import type { Parts } from '../agent-server-parts.ts'
import { resolveAssistant } from '../assistants/assistants.ts'
import { type Limits, requireMetadataFits, requireRoomOnThread } from '../limits.ts'
import { placeOf, requireCheckpoint } from '../threads/state.ts'
import { authorizeThread, requireThread, threadNotFound } from '../threads/threads.ts'
import { announceCancelled, type Cancelled, cancelRuns } from './cancel.ts'
import { refuseCircle } from './circle.ts'
import { findRepeated, type KeyInUse, keyInUse, rememberKey } from './idempotency.ts'
import { authorizationValue, newRun, type RunRequest } from './new-run.ts'

/** The parts that check a request before its run is added. */
type AdmissionParts = Pick<
  Parts,
  'store' | 'host' | 'config' | 'authorize' | 'webhooks' | 'limits' | 'langSmithProject' | 'clock'
>

type CreationParts = AdmissionParts & Pick<Parts, 'queue' | 'events' | 'pendingRuns'>

interface CreationOptions {
  idempotencyKey?: string | undefined
  /** Checks an existing idle thread, in the transaction that adds the run. Throws if the run may not be added. */
  check?: ((thread: Thread) => void) | undefined
  /** The run whose graph waits for this one. It must not be on the thread. */
  waiting_run_id?: string | undefined
}

/**
 * Adds a run to the thread's queue, or with `null` to a new thread of its own, and wakes the queue. Nothing
 * can fail after the row exists: clients repeat failed requests, and the repeat would run twice. If the
 * `idempotencyKey` has created a run before, returns that run.
 *
 * Throws `not_found` (assistant, thread, checkpoint), `conflict` (`multitask_strategy: reject`, or `refuseCircle`),
 * `too_many_requests` when too many runs wait, and like `findRepeated`.
 */
export async function createRun(
  parts: CreationParts,
  caller: Caller,
  thread_id: string | null,
  request: RunRequest,
  { idempotencyKey, ...options }: CreationOptions = {},
): Promise<QueuedRun> {
  requireMetadataFits(parts.limits, request.metadata)
  const key = idempotencyKey ? keyInUse(idempotencyKey, { caller, thread_id, request }) : undefined
  const admission = await prepareRun(parts, caller, thread_id, request, { ...options, key })
  const [run] = await addRuns(parts, [admission])
  return run as QueuedRun
}

/** Adds runs, each on its own thread: all of them or, if one is refused, none. */
export async function createRuns(
  parts: CreationParts,
  caller: Caller,
  requests: RunRequest[],
  idempotencyKey?: string,
): Promise<QueuedRun[]> {
  for (const { metadata } of requests) requireMetadataFits(parts.limits, metadata)
  const admissions: Admission[] = []
  for (const [place, request] of requests.entries()) {
    const use = { caller, thread_id: null, place, request: requests }
    const key = idempotencyKey ? keyInUse(idempotencyKey, use) : undefined
    admissions.push(await prepareRun(parts, caller, null, request, { key }))
  }
  return addRuns(parts, admissions)
}

/** All that the transaction needs to add a run. */
export interface Admission {
  run_id: string
  /** `null`: the run gets a thread of its own, `newThread`. */
  thread_id: string | null
  request: RunRequest
  key?: KeyInUse | undefined
  check?: CreationOptions['check']
  waiting_run_id?: string | undefined
  caller: Caller
  assistant: Assistant
  filter: MetadataFilter | undefined
  /** The thread to add with the run, unless another request adds it first. */
  newThread: NewThread | undefined
  contextKeys: ReadonlySet<string> | undefined
  limits: Limits
  /** ms since 1970 */
  now: number
}

/** Collects all that `admitRun` needs, before its transaction. Throws like `createRun`. */
export async function prepareRun(
  parts: AdmissionParts,
  caller: Caller,
  thread_id: string | null,
  request: RunRequest,
  options: Pick<Admission, 'key' | 'check' | 'waiting_run_id'> = {},
): Promise<Admission> {
  parts.webhooks.check(request.webhook)
  const run_id = newUuid()
  const value = authorizationValue(request, { thread_id, run_id })
  const event = { resource: 'threads', action: 'create_run' } as const
  const filter = await parts.authorize(caller, event, value)
  const { metadata, kwargs } = value
  const assistant = await resolveAssistant(parts, caller, request.assistant_id)
  return {
    ...options,
    run_id,
    thread_id,
    request: {
      ...request,
      ...kwargs,
      // A stateless run's own thread is removed with the run, unless the request asks to keep it.
      ...(thread_id === null && { on_completion: request.on_completion ?? 'delete' }),
      ...langSmithSession(parts, request),
      metadata,
    },
    caller,
    assistant,
    filter,
    newThread: await threadToAdd(parts, caller, thread_id, request),
    contextKeys: parts.host.graphs.get(assistant.graph_id)?.contextKeys,
    limits: parts.limits,
    now: parts.clock.now(),
  }
}

/** The LangSmith project of the run's trace, under the official server's field name. */
function langSmithSession(
  { langSmithProject }: Pick<Parts, 'langSmithProject'>,
  { langsmith_tracer }: RunRequest,
): Pick<RunRequest, 'langsmith_session_name'> {
  if (langSmithProject === undefined) return {}
  const asked = langsmith_tracer?.project_name
  return {
    langsmith_session_name: typeof asked === 'string' && asked ? asked : langSmithProject,
  }
}

/** The thread to add with the run: a stateless run's own thread, or the requested one if it does not exist. */
async function threadToAdd(
  parts: Pick<Parts, 'store' | 'config' | 'authorize' | 'clock'>,
  caller: Caller,
  thread_id: string | null,
  request: RunRequest,
): Promise<NewThread | undefined> {
  if (thread_id !== null) {
    if (request.if_not_exists !== 'create') return undefined
    if (await parts.store.threads.get(thread_id)) return undefined
  }
  const { metadata } = request
  const asked =
    thread_id === null
      ? { if_exists: 'raise' as const }
      : { thread_id, if_exists: 'do_nothing' as const }
  return (await authorizeThread(parts, caller, { ...asked, metadata })).thread
}

/** A run that was added, or found by its key. */
interface Admitted {
  /** The runs that were cancelled for it. */
  cancelled: Cancelled
  /** The run as its creator gets it: pending. */
  run: QueuedRun
  /** Absent: the run was added as pending, or existed before. */
  claimed?: ClaimedRun
}

/** Adds the runs. A run with an idle thread and a free place on this server starts at once. */
async function addRuns(parts: CreationParts, admissions: Admission[]): Promise<QueuedRun[]> {
  await parts.pendingRuns.requireRoom(admissions.length)
  const places = admissions.map(({ assistant, request }) =>
    request.after_seconds ? undefined : parts.queue.reserve(assistant.graph_id),
  )
  try {
    const admitted = await transactRuns(parts, admissions, async (tx) => {
      const all: Admitted[] = []
      for (const [i, one] of admissions.entries()) {
        all.push(await admitRun(tx, one, places[i]?.claim))
      }
      return all
    })
    for (const [i, { claimed }] of admitted.entries()) if (claimed) places[i]?.begin(claimed)
    return admitted.map(({ run }) => run)
  } finally {
    for (const place of places) place?.leave()
  }
}

/**
 * Runs the transaction whose `work` admits these runs, or none of them. Then announces the cancelled runs, and wakes
 * the queue for the new ones.
 */
export async function transactRuns(
  parts: Pick<Parts, 'store' | 'queue' | 'events' | 'webhooks'>,
  admissions: Admission[],
  work: (tx: AgentStore) => Promise<Admitted[]>,
): Promise<Admitted[]> {
  const admitted = await parts.store.transaction(work, locksOf(admissions), areAdded)
  for (const { cancelled } of admitted) announceCancelled(parts, cancelled)
  if (admitted.some(({ claimed }) => !claimed)) parts.queue.wake()
  return admitted
}

/** The locks for the transaction of `admitRun`. They also make `areAdded` wait for one that may still be open. */
function locksOf(admissions: Admission[]): string[] {
  return admissions.flatMap(({ thread_id, newThread, key }) => [
    lockOf('thread', thread_id ?? String(newThread?.thread_id)),
    ...(key ? [lockOf('idempotency key', `${key.scope} ${key.key}`)] : []),
  ])
}

/** Whether these runs exist, after a commit of `admitRun` whose result is unknown. */
async function areAdded(tx: AgentStore, admitted: readonly Admitted[]): Promise<boolean> {
  for (const { run } of admitted) if (!(await tx.runs.glance(run.run_id))) return false
  return true
}

/** Part of a transaction: adds the run once. If its thread is idle, adds it with the claim. */
export async function admitRun(
  tx: AgentStore,
  admission: Admission,
  claim?: AddedClaim,
): Promise<Admitted> {
  const { key, filter, now } = admission
  if (!key) return addRun(tx, admission, claim)
  const repeated = await findRepeated(tx, key, now)
  if (repeated) {
    // Two callers with the same identity may still be allowed to see different threads.
    await requireThread(tx.threads, repeated.thread_id, filter, { isDropped: true })
    return { run: repeated, cancelled: NOTHING }
  }
  const admitted = await addRun(tx, admission, claim)
  await rememberKey(tx, key, admitted.run.run_id, now)
  return admitted
}

const NOTHING: Cancelled = { running: [], ended: [] }

async function addRun(
  tx: AgentStore,
  admission: Admission,
  claim: AddedClaim | undefined,
): Promise<Admitted> {
  const { newThread, check, filter, limits } = admission
  const place = placeOf(admission.request.checkpoint ?? {})
  if (newThread && (await addThread(tx, newThread, admission))) {
    await requireCheckpoint({ store: tx }, newThread.thread_id, place)
    const run = newRun({ ...admission, thread: newThread })
    return { ...(await insert(tx, run, claim, { isOnNewThread: true })), cancelled: NOTHING }
  }
  const thread_id = String(admission.thread_id)
  // Both are read together: a missing thread has no run.
  const [thread, isBusy] = await Promise.all([
    requireThread(tx.threads, thread_id, filter),
    tx.runs.hasActive(thread_id),
  ])
  if (!isBusy) check?.(thread)
  await requireCheckpoint({ store: tx }, thread_id, place)
  const cancelled = await applyStrategy(tx, thread_id, { ...admission, isBusy })
  if (isBusy) await requireRoomOnThread(tx, thread_id, limits)
  const run = newRun({ ...admission, thread })
  const { created_at: updated_at } = run
  const metadata = withGraph(thread.metadata, admission)
  // Both are sent together: neither needs the other's result.
  const [added] = await Promise.all([
    insert(tx, run, isBusy ? undefined : claim, { isOnNewThread: false }),
    tx.threads.update(thread_id, { updated_at, status: 'busy', metadata }, thread),
  ])
  return { ...added, cancelled }
}

/** Adds the thread as busy, with the run's graph. `false`: another request has added it. */
async function addThread(
  tx: AgentStore,
  thread: NewThread,
  admission: Admission,
): Promise<boolean> {
  const busy = {
    ...thread,
    status: 'busy',
    metadata: withGraph(thread.metadata, admission),
  } as const
  if (admission.thread_id === null) {
    await tx.threads.add(busy)
    return true
  }
  if (!(await tx.threads.insert(busy))) return false
  if (matchesFilter(thread.metadata, admission.filter)) return true
  throw threadNotFound(thread.thread_id)
}

function withGraph(metadata: JsonObject, { assistant }: Admission): JsonObject {
  const { graph_id, assistant_id } = assistant
  return { ...metadata, graph_id, assistant_id }
}

/** `isOnNewThread`: an executor that starts the run at once need not read the thread. */
async function insert(
  tx: AgentStore,
  added: NewRun,
  claim: AddedClaim | undefined,
  { isOnNewThread }: { isOnNewThread: boolean },
): Promise<Pick<Admitted, 'run' | 'claimed'>> {
  if (!claim) return { run: await tx.runs.insert(added) }
  const run = await tx.runs.insert(added, claim)
  const lease = { run_id: run.run_id, server_id: claim.server_id, token: FIRST_TOKEN }
  const claimed = isOnNewThread ? { ...run, has_new_thread: true as const } : run
  const asAdded = { ...run, status: 'pending', attempt: 0, started_at: null } as const
  return { run: asAdded, claimed: { run: claimed, lease } }
}

async function applyStrategy(
  tx: AgentStore,
  thread_id: string,
  { run_id, request, now, isBusy, waiting_run_id }: Admission & { isBusy: boolean },
): Promise<Cancelled> {
  const plan = planMultitask(request.multitask_strategy, isBusy)
  switch (plan.kind) {
    case 'accept':
      if (isBusy) await refuseCircle(tx, thread_id, waiting_run_id)
      return NOTHING
    case 'reject':
      throw new AppError(
        'conflict',
        'Thread is already running a task. Wait for it to finish or choose a different multitask strategy.',
      )
    case 'supersede': {
      const { action } = plan
      const reason = `superseded: run ${run_id} came with multitask_strategy "${action}"`
      return cancelRuns(tx, await tx.runs.listActive(thread_id), { action, reason }, now)
    }
  }
}

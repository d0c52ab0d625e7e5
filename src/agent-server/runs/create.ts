/** The verbs that take runs in. */
import { randomUUID } from 'node:crypto'
import { type AgentStore, lockOf } from '../../core/agent/agent-store.ts'
import type { Assistant } from '../../core/agent/assistant.ts'
import { type Caller, type MetadataFilter, matchesFilter } from '../../core/agent/authorization.ts'
import { planMultitask } from '../../core/agent/multitask-strategy.ts'
import type { QueuedRun } from '../../core/agent/run.ts'
import type { NewThread } from '../../core/agent/thread.ts'
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { resolveAssistant } from '../assistants/verbs.ts'
import { type Limits, requireRoomOnThread } from '../limits.ts'
import type { Parts } from '../parts.ts'
import { placeOf, requireCheckpoint } from '../state/read.ts'
import { authorizeThread, requireThread, threadNotFound } from '../threads/verbs.ts'
import { announceCancelled, type Cancelled, cancelRuns } from './cancel.ts'
import { findRepeated, type KeyInUse, keyInUse, rememberKey } from './idempotency.ts'
import { newRun, type RunRequest } from './new-run.ts'

/** What is asked before a run is added. */
export type AdmissionParts = Pick<
  Parts,
  'store' | 'host' | 'config' | 'authorize' | 'webhooks' | 'limits' | 'clock'
>

/** What adding runs needs. */
export type CreationParts = AdmissionParts & Pick<Parts, 'queue' | 'events' | 'pendingRuns'>

/**
 * Adds a run to the thread's line, or with `null` to a thread made for it, and wakes the queue. Once
 * the row exists nothing more can fail: clients repeat a request that failed and would run twice.
 * With an `idempotencyKey` that created a run before, answers that run.
 *
 * Throws `not_found` (assistant, thread, checkpoint), `conflict` (`multitask_strategy: reject`),
 * `too_many_requests` when too many runs wait, and as `findRepeated` does.
 */
export async function createRun(
  parts: CreationParts,
  caller: Caller,
  thread_id: string | null,
  request: RunRequest,
  idempotencyKey?: string,
): Promise<QueuedRun> {
  const key = idempotencyKey && keyInUse(idempotencyKey, { caller, thread_id, request })
  const admission = await prepareRun(parts, caller, { thread_id, request, ...(key && { key }) })
  await parts.pendingRuns.requireRoom(1)
  const locks = locksOf([admission])
  const admitted = await parts.store.transaction((tx) => admitRun(tx, admission), locks)
  announceAdmitted(parts, [admitted])
  return admitted.run
}

/** Adds runs, each on a thread of its own: all of them or, where one is refused, none. */
export async function createRuns(
  parts: CreationParts,
  caller: Caller,
  requests: RunRequest[],
  idempotencyKey?: string,
): Promise<QueuedRun[]> {
  const admissions: Admission[] = []
  for (const [place, request] of requests.entries()) {
    const use = { caller, thread_id: null, place, request: requests }
    const key = idempotencyKey && keyInUse(idempotencyKey, use)
    const ask: Ask = { thread_id: null, request, ...(key && { key }) }
    admissions.push(await prepareRun(parts, caller, ask))
  }
  await parts.pendingRuns.requireRoom(requests.length)
  const admitted = await parts.store.transaction(async (tx) => {
    const all: Admitted[] = []
    for (const admission of admissions) all.push(await admitRun(tx, admission))
    return all
  }, locksOf(admissions))
  announceAdmitted(parts, admitted)
  return admitted.map(({ run }) => run)
}

/** After the transaction of `admitRun`: tells of the runs that made way, then has the queue look for the new ones. */
export function announceAdmitted(
  parts: Pick<Parts, 'queue' | 'events' | 'webhooks'>,
  admitted: Admitted[],
): void {
  for (const { cancelled } of admitted) announceCancelled(parts, cancelled)
  for (const { run } of admitted) parts.queue.expect(run.available_at)
  parts.queue.wake()
}

/** The locks for the transaction of `admitRun`. A thread made for this run needs none: nobody else knows it. */
export function locksOf(admissions: Admission[]): string[] {
  return admissions.flatMap(({ thread_id, key }) => [
    ...(thread_id === null ? [] : [lockOf('thread', thread_id)]),
    ...(key ? [lockOf('idempotency key', `${key.scope} ${key.key}`)] : []),
  ])
}

interface Ask {
  thread_id: string | null
  request: RunRequest
  key?: KeyInUse
}

interface Admission extends Ask {
  run_id: string
  caller: Caller
  assistant: Assistant
  filter: MetadataFilter | undefined
  newThread: NewThread | undefined
  contextKeys: ReadonlySet<string> | undefined
  limits: Limits
  now: number
}

/** Finds out all that `admitRun` needs before its transaction. Throws as `createRun` does. */
export async function prepareRun(
  parts: AdmissionParts,
  caller: Caller,
  ask: Ask,
): Promise<Admission> {
  const { thread_id, request } = ask
  parts.webhooks.check(request.webhook)
  const run_id = randomUUID()
  const value = authorizationValue(ask, run_id)
  const event = { resource: 'threads', action: 'create_run' } as const
  const filter = await parts.authorize(caller, event, value)
  const { metadata, kwargs } = value
  const assistant = await resolveAssistant(parts, caller, request.assistant_id)
  return {
    ...ask,
    run_id,
    request: { ...request, ...kwargs, ...completion(thread_id, request), metadata },
    caller,
    assistant,
    filter,
    newThread: await threadToAdd(parts, caller, thread_id, request),
    contextKeys: parts.host.graphs.get(assistant.graph_id)?.contextKeys,
    limits: parts.limits,
    now: parts.clock.now(),
  }
}

/** The run as the project's auth sees it, in the SDK's form. The auth may change the fields that hold objects. */
function authorizationValue({ thread_id, request }: Ask, run_id: string) {
  const { assistant_id, metadata, multitask_strategy, if_not_exists, after_seconds, ...kwargs } =
    request
  const { config } = kwargs
  const configurable = { ...(config.configurable as JsonObject | undefined) }
  return {
    thread_id,
    assistant_id,
    run_id,
    status: 'pending',
    metadata: { ...metadata },
    multitask_strategy,
    if_not_exists,
    after_seconds: after_seconds ?? 0,
    kwargs: { ...kwargs, config: { ...config, configurable } },
  }
}

/** A thread that was made for its run is removed with it, unless the request asks to keep it. */
function completion(
  thread_id: string | null,
  { on_completion = 'delete' }: RunRequest,
): Pick<RunRequest, 'on_completion'> {
  return thread_id === null ? { on_completion } : {}
}

/** The thread that has to be added with the run: a stateless run's own, or one that did not exist. */
async function threadToAdd(
  parts: Pick<Parts, 'store' | 'config' | 'authorize' | 'clock'>,
  caller: Caller,
  thread_id: string | null,
  request: RunRequest,
): Promise<NewThread | undefined> {
  if (thread_id === null) {
    const asked = { metadata: request.metadata, if_exists: 'raise' } as const
    return (await authorizeThread(parts, caller, asked)).thread
  }
  if (request.if_not_exists !== 'create') return undefined
  if (await parts.store.threads.get(thread_id)) return undefined
  const asked = { thread_id, metadata: request.metadata, if_exists: 'do_nothing' } as const
  return (await authorizeThread(parts, caller, asked)).thread
}

/** A run that was added, or found by its key; `announceAdmitted` is due after the transaction. */
interface Admitted {
  /** The runs that made way for it. */
  cancelled: Cancelled
  run: QueuedRun
}

/** Part of a transaction: adds the run, once. */
export async function admitRun(tx: AgentStore, admission: Admission): Promise<Admitted> {
  const { key, now } = admission
  if (!key) return addRun(tx, admission)
  const repeated = await findRepeated(tx, key, now)
  if (repeated) return answerRepeated(tx, repeated, admission)
  const admitted = await addRun(tx, admission)
  await rememberKey(tx, key, admitted.run.run_id, now)
  return admitted
}

/** Two callers with the same identity may still be allowed to see different threads. */
async function answerRepeated(
  tx: AgentStore,
  run: QueuedRun,
  { filter }: Admission,
): Promise<Admitted> {
  await requireThread(tx.threads, run.thread_id, filter, { isDropped: true })
  return { run, cancelled: { running: [], ended: [] } }
}

async function addRun(tx: AgentStore, admission: Admission): Promise<Admitted> {
  const { newThread } = admission
  const place = placeOf(admission.request.checkpoint ?? {})
  if (newThread && (await addThread(tx, newThread, admission))) {
    await requireCheckpoint({ store: tx }, newThread.thread_id, place)
    const run = await tx.runs.insert(newRun({ ...admission, thread: newThread }))
    return { run, cancelled: { running: [], ended: [] } }
  }
  const thread = await requireThread(tx.threads, String(admission.thread_id), admission.filter)
  const { thread_id } = thread
  await requireCheckpoint({ store: tx }, thread_id, place)
  const cancelled = await applyStrategy(tx, thread_id, admission)
  await requireRoomOnThread(tx, thread_id, admission.limits)
  const added = newRun({ ...admission, thread })
  // Both are sent together: neither needs the other's answer.
  const [run] = await Promise.all([
    tx.runs.insert(added),
    tx.threads.update(thread_id, {
      updated_at: added.created_at,
      status: 'busy',
      metadata: withGraph(thread.metadata, admission),
    }),
  ])
  return { run, cancelled }
}

/** Adds the thread as the run needs it: busy, with the run's graph. `false`: another request has added it. */
async function addThread(
  tx: AgentStore,
  thread: NewThread,
  admission: Admission,
): Promise<boolean> {
  const metadata = withGraph(thread.metadata, admission)
  if (!(await tx.threads.insert({ ...thread, status: 'busy', metadata }))) return false
  // A filter on metadata says nothing about a stateless run's thread, which the server itself makes.
  const isOwn = admission.thread_id === null
  if (isOwn || matchesFilter(thread.metadata, admission.filter)) return true
  throw threadNotFound(thread.thread_id)
}

function withGraph(metadata: JsonObject, { assistant }: Admission): JsonObject {
  const { graph_id, assistant_id } = assistant
  return { ...metadata, graph_id, assistant_id }
}

async function applyStrategy(
  tx: AgentStore,
  thread_id: string,
  { run_id, request, now }: Admission,
): Promise<Cancelled> {
  const plan = planMultitask(request.multitask_strategy, await tx.runs.hasActive(thread_id))
  switch (plan.kind) {
    case 'accept':
      return { running: [], ended: [] }
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

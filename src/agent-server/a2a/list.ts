/** Lists of tasks of the Agent2Agent protocol: of one context, or of all that the caller may see. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ListTasksRequest, type ListTasksResponse, type Task, TaskState } from '@a2a-js/sdk'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import type { Caller } from '../../core/agent/authorization.ts'
import type { RunStatus, StoredRun } from '../../core/agent/run.ts'
import { AppError } from '../../core/errors.ts'
import { UuidSchema } from '../operations/ids.ts'
import type { Parts } from '../parts.ts'
import { listRuns } from '../runs/read.ts'
import { searchThreads } from '../threads/search.ts'
import { RUNS_READ, viewTask } from './task.ts'
import { taskIdOf } from './task-id.ts'

/** Without a context: how many threads are looked through, those changed last first. */
const THREADS_READ = 100
/** How many of the last runs of each thread are looked at. */
const RUNS_READ_EACH = 10

const DEFAULT_PAGE = 50
const MAX_PAGE = 100

/** The tasks of an assistant, the latest first. The token of a page is how many came before. */
export async function listTasks(
  parts: Pick<Parts, 'store' | 'events' | 'authorize' | 'limits'>,
  { caller, assistant_id }: { caller: Caller; assistant_id: string },
  request: ListTasksRequest,
): Promise<ListTasksResponse> {
  const runs = request.contextId
    ? await runsOfContext(parts, caller, request.contextId)
    : await runsOfAll(parts, caller)
  const since = Date.parse(request.statusTimestampAfter ?? '') || 0
  const latest = latestOfTasks(runs.filter((run) => run.assistant_id === assistant_id)).filter(
    (run) => Date.parse(run.updated_at) >= since,
  )
  const wanted = request.status ? await withState(parts, latest, request.status) : latest
  const from = Number(/^\d{1,6}$/.exec(request.pageToken)?.[0] ?? 0)
  const pageSize = Math.min(Math.max(request.pageSize || DEFAULT_PAGE, 1), MAX_PAGE)
  const to = from + pageSize
  const tasks: Task[] = []
  for (const run of wanted.slice(from, to)) {
    tasks.push(await look(parts, run, request.historyLength ?? 0))
  }
  const nextPageToken = to < wanted.length ? String(to) : ''
  return { tasks, nextPageToken, pageSize, totalSize: wanted.length }
}

function runsOfContext(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  contextId: string,
): Promise<StoredRun[]> {
  const thread_id = UuidSchema.safeParse(contextId)
  if (thread_id.success) {
    return listRuns(parts, caller, thread_id.data, { limit: RUNS_READ, offset: 0 })
  }
  throw new RequestMalformedError('contextId must be a UUID: it is the id of a thread.')
}

async function runsOfAll(
  parts: Pick<Parts, 'store' | 'authorize' | 'limits'>,
  caller: Caller,
): Promise<StoredRun[]> {
  const { threads } = await searchThreads(parts, caller, {
    ...{ sort_by: 'updated_at', sort_order: 'desc', limit: THREADS_READ, offset: 0 },
    select: ['thread_id'],
    extract: {},
  })
  const found: StoredRun[] = []
  for (const { thread_id } of threads) {
    if (thread_id) found.push(...(await runsOfThread(parts, caller, thread_id)))
    await nextTurn()
  }
  return found.toSorted((a, b) => b.seq - a.seq)
}

/** A caller who may find a thread may still not be allowed to read it. It may also be gone by now. */
async function runsOfThread(
  parts: Pick<Parts, 'store' | 'authorize'>,
  caller: Caller,
  thread_id: string,
): Promise<StoredRun[]> {
  try {
    return await listRuns(parts, caller, thread_id, { limit: RUNS_READ_EACH, offset: 0 })
  } catch (error) {
    const isHidden = error instanceof AppError && ['not_found', 'forbidden'].includes(error.code)
    if (isHidden) return []
    throw error
  }
}

function latestOfTasks(runs: StoredRun[]): StoredRun[] {
  const seen = new Map<string, StoredRun>()
  for (const run of runs) if (!seen.has(taskIdOf(run))) seen.set(taskIdOf(run), run)
  return [...seen.values()]
}

/** Reading SQLite never waits, and large states take long: this lets other requests go on in between. */
async function look(
  parts: Pick<Parts, 'store' | 'events'>,
  run: StoredRun,
  historyLength: number,
): Promise<Task> {
  await nextTurn()
  return viewTask(parts, { task_id: taskIdOf(run), run }, historyLength)
}

/** Most tasks can be ruled out by their run alone. Only the others are read as a whole. */
async function withState(
  parts: Pick<Parts, 'store' | 'events'>,
  runs: StoredRun[],
  state: TaskState,
): Promise<StoredRun[]> {
  const found: StoredRun[] = []
  for (const run of runs.filter(({ status }) => STATUSES[state]?.includes(status))) {
    const { status } = await look(parts, run, 0)
    if (status?.state === state) found.push(run)
  }
  return found
}

/** The run statuses that belong to a state of a task. */
const STATUSES: Partial<Record<TaskState, RunStatus[]>> = {
  [TaskState.TASK_STATE_SUBMITTED]: ['pending'],
  [TaskState.TASK_STATE_WORKING]: ['running'],
  [TaskState.TASK_STATE_COMPLETED]: ['success'],
  [TaskState.TASK_STATE_INPUT_REQUIRED]: ['success'],
  [TaskState.TASK_STATE_FAILED]: ['error', 'timeout'],
  [TaskState.TASK_STATE_CANCELED]: ['interrupted'],
}

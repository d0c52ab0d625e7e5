/** Lists tasks of the Agent2Agent protocol: of one context, or of all threads that the caller may see. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ListTasksRequest, type ListTasksResponse, type Task, TaskState } from '@a2a-js/sdk'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import type { Caller } from '../../core/agent/authorization.ts'
import type { RunStatus, StoredRun } from '../../core/agent/run.ts'
import { AppError } from '../../core/errors.ts'
import type { Parts } from '../agent-server-parts.ts'
import { UuidSchema } from '../operations/ids.ts'
import { listRuns } from '../runs/runs.ts'
import { searchThreads } from '../threads/thread-search.ts'
import { RUNS_READ, viewTask } from './task.ts'
import { taskIdOf } from './task-id.ts'

/** Without a context: how many threads the list reads, the last changed first. */
const THREADS_READ = 100
/** Without a context: how many of the last runs of each thread the list reads. */
const RUNS_READ_EACH = 10

const DEFAULT_PAGE = 50
const MAX_PAGE = 100

/** The tasks of an assistant, the latest first. A page token is the number of tasks before the page. */
export async function listTasks(
  parts: Parts,
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

function runsOfContext(parts: Parts, caller: Caller, contextId: string): Promise<StoredRun[]> {
  const thread_id = UuidSchema.safeParse(contextId)
  if (thread_id.success) {
    return listRuns(parts, caller, thread_id.data, { limit: RUNS_READ, offset: 0 })
  }
  throw new RequestMalformedError('contextId must be a UUID: it is the id of a thread.')
}

async function runsOfAll(parts: Parts, caller: Caller): Promise<StoredRun[]> {
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

/** A caller may be allowed to find a thread but not to read it. The thread may also have been deleted. */
async function runsOfThread(parts: Parts, caller: Caller, thread_id: string): Promise<StoredRun[]> {
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

/** SQLite reads block the event loop, and large states take long: yields so that other requests go on. */
async function look(parts: Parts, run: StoredRun, historyLength: number): Promise<Task> {
  await nextTurn()
  return viewTask(parts, { task_id: taskIdOf(run), run }, historyLength)
}

/** The run's status rules out most tasks. Only the others are read in full. */
async function withState(parts: Parts, runs: StoredRun[], state: TaskState): Promise<StoredRun[]> {
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

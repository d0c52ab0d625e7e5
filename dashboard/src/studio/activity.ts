/** What the nodes of a graph do: from a run's stream while it is running, or from the stored steps. */
import type { ThreadTask } from '@langchain/langgraph-sdk'
import type { Step } from './queries.ts'

/** One execution of a node. */
export interface NodeTask {
  id: string
  /** Of the node. */
  name: string
  /** The nodes of the enclosing graphs, outermost first. */
  path: readonly string[]
  /** The input, if the stream has reported it. */
  read?: unknown
  /** For a stored step: the checkpoint whose values the node read. */
  readAt?: string
  wrote?: unknown
  error?: string
  hasInterrupt: boolean
  isRunning: boolean
  /** Tasks of one graph with the same number started together. */
  step: number
}

export interface Activity {
  /** In the order in which they started. */
  tasks: readonly NodeTask[]
  /** `from→to`, with each node's whole path joined by `:`. */
  edges: ReadonlySet<string>
}

export const NO_ACTIVITY: Activity = { tasks: [], edges: new Set() }

interface TaskEvent {
  id: string
  name: string
  input?: unknown
  result?: unknown
  error?: unknown
  interrupts?: readonly unknown[]
}

/** Adds one event of the stream mode `tasks`; `namespace` as in the event. */
export function withTask(
  { tasks, edges }: Activity,
  event: TaskEvent,
  namespace: readonly string[] = [],
): Activity {
  const path = namespace.map((part) => part.split(':')[0] ?? part)
  const known = tasks.find(({ id }) => id === event.id)
  if (!known) {
    const step = stepNow(tasks, path)
    const begun: NodeTask = {
      id: event.id,
      name: event.name,
      path,
      read: event.input,
      hasInterrupt: false,
      isRunning: true,
      step,
    }
    const before = namesIn(tasks, path, step - 1)
    return { tasks: [...tasks, begun], edges: withEdges(edges, before, [begun]) }
  }
  const ended: NodeTask = {
    ...known,
    isRunning: false,
    wrote: event.result,
    hasInterrupt: (event.interrupts?.length ?? 0) > 0,
    ...(event.error ? { error: String(event.error) } : {}),
  }
  return { tasks: tasks.map((task) => (task === known ? ended : task)), edges }
}

/** The activity of the stored steps that led to `checkpoint` (default: the newest). */
export function activityOf(history: readonly Step[], checkpoint?: string): Activity {
  let { tasks, edges } = NO_ACTIVITY
  let step = 0
  for (const state of pathTo(history, checkpoint)) {
    const done = state.tasks
      .filter(({ name }) => name !== '__start__')
      .map((task) => keptTask(task, state, step))
    if (done.length === 0) continue
    edges = withEdges(edges, namesIn(tasks, [], step - 1), done)
    tasks = [...tasks, ...done]
    step += 1
  }
  return { tasks, edges }
}

function keptTask(task: ThreadTask, { checkpoint }: Step, step: number): NodeTask {
  return {
    id: task.id,
    name: task.name,
    path: [],
    ...(checkpoint.checkpoint_id && { readAt: checkpoint.checkpoint_id }),
    wrote: task.result ?? undefined,
    hasInterrupt: task.interrupts.length > 0,
    isRunning: false,
    step,
    ...(task.error ? { error: task.error } : {}),
  }
}

/** The thread's history does not contain subgraphs, so what the stream reported of them is kept. */
export function withInner(kept: Activity, heard: Activity): Activity {
  const inner = heard.tasks.filter(({ path }) => path.length > 0)
  const edges = [...heard.edges].filter((edge) => edge.includes(':'))
  return {
    tasks: [...kept.tasks, ...inner.map((task) => ({ ...task, isRunning: false }))],
    edges: new Set([...kept.edges, ...edges]),
  }
}

/** From the last run's first step to the checkpoint. */
export function pathTo(history: readonly Step[], checkpoint?: string) {
  const byId = new Map(history.map((state) => [state.checkpoint.checkpoint_id, state]))
  const steps: Step[] = []
  let at = checkpoint ? byId.get(checkpoint) : history[0]
  while (at) {
    steps.unshift(at)
    if (at.metadata?.source === 'input') break
    at = byId.get(at.parent_checkpoint?.checkpoint_id ?? '')
  }
  return steps
}

/** The step of a task that starts now: a new one once all tasks of the last step have ended. */
function stepNow(tasks: readonly NodeTask[], path: readonly string[]): number {
  const beside = tasks.filter((task) => task.path.join(':') === path.join(':'))
  const last = beside.at(-1)
  if (!last) return 0
  const isGoingOn = beside.some(({ step, isRunning }) => step === last.step && isRunning)
  return isGoingOn ? last.step : last.step + 1
}

/** The nodes of one step; before the first step, the graph's start. */
function namesIn(tasks: readonly NodeTask[], path: readonly string[], step: number): string[] {
  if (step < 0) return [[...path, '__start__'].join(':')]
  const together = tasks.filter(
    (task) => task.step === step && task.path.join(':') === path.join(':'),
  )
  return together.map(pathOf)
}

function withEdges(
  edges: ReadonlySet<string>,
  from: readonly string[],
  to: readonly NodeTask[],
): ReadonlySet<string> {
  const added = to.flatMap((task) => from.map((name) => `${name}→${pathOf(task)}`))
  return new Set([...edges, ...added])
}

/** The node's name with its enclosing nodes: the same id as in the drawn graph. */
export function pathOf({ name, path }: Pick<NodeTask, 'name' | 'path'>): string {
  return [...path, name].join(':')
}

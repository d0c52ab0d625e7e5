/** What the nodes of a graph do, told by the stream of a run while it goes on, or by the kept steps. */
import type { ThreadTask } from '@langchain/langgraph-sdk'
import type { Step } from './queries.ts'

/** One execution of a node. */
export interface NodeTask {
  id: string
  /** Of the node. */
  name: string
  /** The nodes of the graphs around it, outermost first. */
  path: readonly string[]
  /** Where the stream has told it. */
  read?: unknown
  /** The checkpoint whose values it read, for a step that is kept. */
  readAt?: string
  wrote?: unknown
  error?: string
  hasInterrupt: boolean
  isRunning: boolean
  /** Tasks of one graph with the same number were begun together. */
  step: number
}

export interface Activity {
  /** In the order they were begun. */
  tasks: readonly NodeTask[]
  /** `from→to`, nodes by their whole path with `:` between. */
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

/** With what one event of the stream mode `tasks` tells; `namespace` as the event has it. */
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

/** Of the steps that led to `checkpoint` (default: the newest), as the history keeps them. */
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

/** The thread's history does not tell of graphs within the graph: what the stream has told of them stays. */
export function withInner(kept: Activity, heard: Activity): Activity {
  const inner = heard.tasks.filter(({ path }) => path.length > 0)
  const edges = [...heard.edges].filter((edge) => edge.includes(':'))
  return {
    tasks: [...kept.tasks, ...inner.map((task) => ({ ...task, isRunning: false }))],
    edges: new Set([...kept.edges, ...edges]),
  }
}

/** From the first step of the last run to the checkpoint. */
function pathTo(history: readonly Step[], checkpoint?: string) {
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

/** The step that a task which begins now belongs to: a new one, once all of the last have ended. */
function stepNow(tasks: readonly NodeTask[], path: readonly string[]): number {
  const beside = tasks.filter((task) => task.path.join(':') === path.join(':'))
  const last = beside.at(-1)
  if (!last) return 0
  const isGoingOn = beside.some(({ step, isRunning }) => step === last.step && isRunning)
  return isGoingOn ? last.step : last.step + 1
}

/** The nodes of one step; before the first there is the graph's start. */
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

/** The node's name with those around it: the same id that the drawn graph gives it. */
export function pathOf({ name, path }: Pick<NodeTask, 'name' | 'path'>): string {
  return [...path, name].join(':')
}

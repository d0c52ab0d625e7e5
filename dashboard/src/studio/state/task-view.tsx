/** The tasks of a state: the next nodes, with their results, errors, interrupts and subgraphs. */

import type { ThreadTask } from '@langchain/langgraph-sdk'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useAgentServer } from '../../api/agent-server.tsx'
import { type State, threadKey } from '../../api/thread-state.ts'
import { FoldButton } from '../../design/fold-button.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { QueryView } from '../../design/query-view.tsx'
import { Status, type Tone } from '../../design/status.tsx'
import { SubgraphFork } from './subgraph-fork.tsx'
import { type Below, isBelow, ownHistoryOf } from './subgraph-place.ts'
import { ValuesView } from './values-view.tsx'

/** Most steps of a subgraph that are shown. */
const STEPS = 50

/** The server returns a task's output, but the SDK's type lacks it. */
type Task = ThreadTask & { result?: unknown }

/** `isCurrent`: the thread is at this state. */
export function TaskList(props: {
  threadId: string
  tasks: readonly ThreadTask[]
  /** The checkpoint of the tasks' graph. */
  below: Below
  isCurrent: boolean
}) {
  const { threadId, tasks, below, isCurrent } = props
  if (tasks.length === 0) return <p className="text-ink-soft">Nothing comes after this step.</p>
  return (
    <ul className="space-y-3">
      {tasks.map((task) => (
        <li key={task.id}>
          <TaskView threadId={threadId} task={task} below={below} isCurrent={isCurrent} />
        </li>
      ))}
    </ul>
  )
}

function TaskView(props: { threadId: string; task: Task; below: Below; isCurrent: boolean }) {
  const { threadId, task } = props
  const { word, tone } = meaningOf(task)
  const namespace = task.checkpoint?.checkpoint_ns ?? task.state?.checkpoint?.checkpoint_ns
  const isUnfinished = task.result === null || task.result === undefined
  return (
    <article className="rounded-md border border-line">
      <header className="flex items-center justify-between gap-2 border-b border-line px-2.5 py-1.5">
        <code className="truncate font-medium">{task.name}</code>
        <Status tone={tone}>{word}</Status>
      </header>
      <div className="space-y-1.5 p-2.5">
        {task.error && (
          <pre className="max-h-60 overflow-auto rounded-sm bg-bad-soft p-2 whitespace-pre-wrap wrap-anywhere">
            {task.error}
          </pre>
        )}
        {task.interrupts.map((interrupt, place) => (
          <div key={interrupt.id ?? place} className="rounded-sm bg-wait-soft p-2">
            <p className="mb-0.5 text-xs font-medium text-wait">It asks</p>
            <JsonView value={interrupt.value} openDepth={2} />
          </div>
        ))}
        {task.result !== null && task.result !== undefined && (
          <Fold title="It wrote" isOpen>
            <ValuesView values={task.result} />
          </Fold>
        )}
        {namespace && (
          <Fold title="Steps of its subgraph">
            <SubgraphSteps
              threadId={threadId}
              namespace={namespace}
              below={props.below}
              isCurrent={props.isCurrent && isUnfinished}
            />
          </Fold>
        )}
      </div>
    </article>
  )
}

/** The states of a subgraph, as far as they are stored. */
function SubgraphSteps(props: {
  threadId: string
  namespace: string
  below: Below
  isCurrent: boolean
}) {
  const { threadId, namespace, isCurrent } = props
  const server = useAgentServer()
  const query = useQuery({
    queryKey: [...threadKey(server, threadId), 'subgraph', namespace, props.below.checkpoint_id],
    queryFn: async ({ signal }) => {
      const read = (checkpoint_ns: string) => {
        const asked = { checkpoint: { checkpoint_ns }, limit: STEPS, signal }
        return server.client.threads.getHistory<State>(threadId, asked)
      }
      const states = await read(namespace)
      if (states.length > 0) return states
      return (await read(ownHistoryOf(namespace))).filter((state) => isBelow(state, props.below))
    },
  })
  return (
    <QueryView query={query} what="the subgraph's steps">
      {(states) => (
        <ol>
          {states.length === 0 && <li className="text-ink-soft">None of its steps were kept.</li>}
          {states.map((state, place) => (
            <li key={state.checkpoint.checkpoint_id}>
              <Fold
                title={`Step ${String(state.metadata?.step ?? '')}${cameFrom(states[place + 1])}`}
              >
                <ValuesView values={state.values} />
                <SubgraphFork state={state} isCurrent={isCurrent} />
                {state.tasks.length > 0 && (
                  <div className="mt-2">
                    <TaskList
                      threadId={threadId}
                      tasks={state.tasks}
                      below={state.checkpoint}
                      isCurrent={isCurrent && place === 0}
                    />
                  </div>
                )}
              </Fold>
            </li>
          ))}
        </ol>
      )}
    </QueryView>
  )
}

function cameFrom(before: { next: string[] } | undefined): string {
  return before && before.next.length > 0 ? ` · ${before.next.join(', ')}` : ''
}

function Fold(props: { title: string; isOpen?: boolean; children: ReactNode }) {
  const [isOpen, setOpen] = useState(props.isOpen ?? false)
  return (
    <div>
      <FoldButton isOpen={isOpen} onChange={setOpen} className="gap-1 text-sm text-ink-soft">
        {props.title}
      </FoldButton>
      {isOpen && <div className="mt-1 ml-[7px] border-l border-line pl-3">{props.children}</div>}
    </div>
  )
}

function meaningOf(task: Task): { word: string; tone: Tone } {
  if (task.error) return { word: 'Failed', tone: 'bad' }
  if (task.interrupts.length > 0) return { word: 'Waiting for an answer', tone: 'wait' }
  if (task.result !== null && task.result !== undefined) return { word: 'Done', tone: 'good' }
  return { word: 'Comes next', tone: 'off' }
}

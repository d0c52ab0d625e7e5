/** The last input and output of the chosen node, and its breakpoints. */
import { useQuery } from '@tanstack/react-query'
import { useAgentServer } from '../../api/agent-server.tsx'
import { stateQuery } from '../../api/thread-state.ts'
import { IconButton } from '../../design/button.tsx'
import { classes } from '../../design/classes.ts'
import { ErrorNote } from '../../design/error-note.tsx'
import { Switch } from '../../design/field.tsx'
import { X } from '../../design/icon.gen.tsx'
import { JsonView } from '../../design/json/view.tsx'
import { QueryView } from '../../design/query-view.tsx'
import { Tabs } from '../../design/tabs.tsx'
import type { NodeTask } from '../activity.ts'
import { useStudio, useStudioStream } from '../studio-context.tsx'
import { canStopAt, type Side, withBreakpoint } from './breakpoints.ts'
import type { Drawing } from './drawing.ts'
import { lastTask, STATE_WORDS, stateOfNode } from './node-state.ts'

/** `isBeside`: on a wide screen, beside the graph instead of below it. */
export function NodeDetails(props: {
  id: string
  drawing: Drawing
  isBeside?: boolean | undefined
  close: () => void
}) {
  const { id, drawing, close } = props
  const { activity, next } = useStudioStream()
  const node = drawing.nodes.find((one) => one.id === id)
  if (!node) return null
  const task = lastTask(activity, id)
  return (
    <section
      aria-label={`Node ${node.name}`}
      className={classes(
        'max-h-[50%] shrink-0 overflow-y-auto border-t border-line bg-surface',
        props.isBeside && 'lg:max-h-none lg:w-96 lg:border-t-0 lg:border-l',
      )}
    >
      <header className="sticky top-0 z-10 flex items-center gap-2 border-b border-line bg-surface px-3 py-1.5">
        <h2 className="min-w-0 truncate font-mono text-sm font-medium">{node.name}</h2>
        <span className="text-sm text-ink-faint">
          {STATE_WORDS[stateOfNode(activity, id, next)]}
        </span>
        <span className="ml-auto">
          <IconButton label="Close" icon={<X size={14} />} onPress={close} />
        </span>
      </header>
      <div className="space-y-3 p-3">
        {canStopAt(id) && <StopSwitches node={id} />}
        {task?.error && <ErrorNote error={new Error(task.error)} title="It failed." />}
        {task ? (
          <Tabs
            label="What it read and wrote"
            tabs={[
              { id: 'wrote', label: 'Wrote', content: <Value value={task.wrote} /> },
              { id: 'read', label: 'Read', content: <WhatItRead task={task} /> },
            ]}
          />
        ) : (
          <p className="text-sm text-ink-faint">
            In the run that is shown it has not been executed.
          </p>
        )}
      </div>
    </section>
  )
}

/** The input of a stored step is requested now. */
function WhatItRead({ task: { read, readAt } }: { task: NodeTask }) {
  const server = useAgentServer()
  const { threadId } = useStudio()
  const query = useQuery({
    ...stateQuery(server, threadId, readAt),
    enabled: threadId !== undefined && readAt !== undefined,
  })
  if (readAt === undefined) return <Value value={read} />
  return (
    <QueryView query={query} what="the state">
      {({ values }) => <Value value={values} />}
    </QueryView>
  )
}

function Value({ value }: { value: unknown }) {
  if (value === undefined) return <p className="text-sm text-ink-faint">Nothing yet.</p>
  return <JsonView value={value} />
}

function StopSwitches({ node }: { node: string }) {
  const { breakpoints, setBreakpoints } = useStudio()
  const one = (side: Side, words: string) => (
    <Switch
      isSelected={breakpoints[side].includes(node)}
      onChange={(isSet) => setBreakpoints(withBreakpoint(breakpoints, side, node, isSet))}
    >
      {words}
    </Switch>
  )
  return (
    <div className="flex flex-wrap gap-x-5 gap-y-1.5 text-sm">
      {one('before', 'Stop before it')}
      {one('after', 'Stop after it')}
    </div>
  )
}

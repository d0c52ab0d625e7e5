/** The state at one checkpoint: its changes since the step before, its values, the next tasks, and the actions. */
import { useQuery } from '@tanstack/react-query'
import { useAgentServer } from '../../api/agent-server.tsx'
import { stateQuery } from '../../api/thread-state.ts'
import { Button, ButtonLink } from '../../design/button.tsx'
import { Columns2, GitBranch, RotateCcw } from '../../design/icon.gen.tsx'
import { JsonDiff } from '../../design/json/diff.tsx'
import { QueryView } from '../../design/query-view.tsx'
import { Skeleton } from '../../design/skeleton.tsx'
import { Id } from '../../design/text/id.tsx'
import { Time } from '../../design/text/time.tsx'
import { Talks } from '../../shell/talks.tsx'
import { comparePath } from '../compare/search.ts'
import type { HistoryRow } from '../history/history-page.ts'
import { type StateView, useHistorySearch } from '../history/search.ts'
import { stepName } from '../history/step-name.ts'
import { useStudio } from '../studio-context.tsx'
import { useGoOn } from '../use-action.ts'
import { ViewButtons } from '../view-buttons.tsx'
import { ForkDialog } from './fork-dialog.tsx'
import { drawMessage } from './message-view.tsx'
import { TaskList } from './task-view.tsx'
import { ValuesView } from './values-view.tsx'

interface StatePanelProps {
  threadId: string
  row: HistoryRow
  /** The step before, if it is loaded. */
  parent: HistoryRow | undefined
}

export function StatePanel({ threadId, row, parent }: StatePanelProps) {
  const { search, change } = useHistorySearch()
  const view = search.show ?? 'changes'
  return (
    <section aria-label="State at the checkpoint" className="flex min-h-0 flex-1 flex-col">
      <Head threadId={threadId} row={row} parent={parent} />
      <div className="flex shrink-0 gap-1 border-b border-line px-2">
        <ViewButtons
          labels={LABELS}
          view={view}
          onChange={(show) => change({ show }, { replace: true })}
          className="px-2 py-1 text-sm"
        />
      </div>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
        tabIndex={0}
        aria-label={LABELS[view]}
        className="min-h-0 flex-1 overflow-y-auto p-3 text-sm -outline-offset-2"
      >
        {view === 'changes' ? (
          <Changes threadId={threadId} row={row} />
        ) : (
          <Whole threadId={threadId} row={row} view={view} />
        )}
      </section>
      {search.fork && (
        <Talks>
          <ForkDialog
            threadId={threadId}
            row={row}
            onClose={() => change({ fork: undefined }, { replace: true })}
          />
        </Talks>
      )}
    </section>
  )
}

function Head({ threadId, row, parent }: StatePanelProps) {
  const server = useAgentServer()
  const { assistant } = useStudio()
  const { change } = useHistorySearch()
  return (
    <header className="shrink-0 space-y-2 px-3 pt-2.5 pb-2">
      <div className="flex flex-wrap items-center gap-x-3">
        <h3 className="font-medium">
          <span className="text-ink-soft">Step {row.step}</span> {stepName(row, parent).text}
        </h3>
        <span className="text-xs text-ink-soft">
          {row.createdAt && <Time at={row.createdAt} />}
        </span>
        <span className="ml-auto text-xs">
          <Id id={row.id} />
        </span>
      </div>
      <div className="flex flex-wrap gap-1.5">
        <Talks>
          <Button
            size="sm"
            icon={<GitBranch size={14} />}
            onPress={() => change({ checkpoint: row.id, fork: true })}
          >
            Fork from here
          </Button>
          <Replay row={row} />
        </Talks>
        <ButtonLink
          size="sm"
          kind="quiet"
          icon={<Columns2 size={14} />}
          to={comparePath(server.pages.studio(assistant.assistant_id), {
            left: { thread: threadId, checkpoint: row.id },
          })}
        >
          Compare
        </ButtonLink>
      </div>
    </header>
  )
}

/** Runs again from the checkpoint; the steps that followed it stay, as a branch. */
function Replay({ row }: { row: HistoryRow }) {
  const { activeRun } = useStudio()
  const { mutate: replay, isPending } = useGoOn(row.id)
  return (
    <Button
      size="sm"
      kind="quiet"
      icon={<RotateCcw size={14} />}
      isPending={isPending}
      isDisabled={activeRun !== undefined || row.next.length === 0}
      onPress={() => replay()}
    >
      Replay
    </Button>
  )
}

const LABELS: Record<StateView, string> = { changes: 'Changes', state: 'State', tasks: 'Next' }

/** The state at the checkpoint; the current one is known already, and may have megabytes. */
function useStateAt(threadId: string, { id }: HistoryRow) {
  const server = useAgentServer()
  const newest = useQuery({ ...stateQuery(server, threadId), refetchOnMount: false })
  const isNewest = newest.data?.checkpoint?.checkpoint_id === id
  const at = useQuery({ ...stateQuery(server, threadId, id), enabled: !isNewest })
  return { query: isNewest ? newest : at, isNewest }
}

/** At a thread's first checkpoint everything is new. */
function Changes({ threadId, row }: { threadId: string; row: HistoryRow }) {
  const server = useAgentServer()
  const { query: after } = useStateAt(threadId, row)
  const before = useQuery({
    ...stateQuery(server, threadId, row.parentId),
    enabled: row.parentId !== undefined,
  })
  if (row.parentId !== undefined && before.data === undefined)
    return (
      <QueryView query={before} what="the step before">
        {() => <Skeleton />}
      </QueryView>
    )
  return (
    <QueryView query={after} what="the state">
      {({ values }) => (
        <JsonDiff
          before={row.parentId === undefined ? {} : before.data?.values}
          after={values}
          draw={drawMessage}
          same={<p className="text-ink-soft">This step left the state as it was.</p>}
        />
      )}
    </QueryView>
  )
}

function Whole(props: { threadId: string; row: HistoryRow; view: StateView }) {
  const { query, isNewest } = useStateAt(props.threadId, props.row)
  return (
    <QueryView query={query} what="the state">
      {({ values, tasks, checkpoint }) =>
        props.view === 'state' ? (
          <ValuesView values={values} />
        ) : (
          <TaskList
            threadId={props.threadId}
            tasks={tasks}
            below={checkpoint}
            isCurrent={isNewest}
          />
        )
      }
    </QueryView>
  )
}

/** The left column: the graph as a drawing and as a list, and details of the chosen node. */
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useAgentServer } from '../../api/agent-server.tsx'
import { QueryView } from '../../design/query-view.tsx'
import { Skeleton } from '../../design/skeleton.tsx'
import { graphQuery } from '../queries.ts'
import { useStudioSearch } from '../search.ts'
import { useStudio, useStudioStream } from '../studio-context.tsx'
import { type Drawing, drawingOf } from './drawing.ts'
import { NodeDetails } from './node-details.tsx'
import { STATE_WORDS, stateOfNode } from './node-state.ts'

const GraphView = lazy(() => import('./graph-view.tsx'))

export function GraphPanel() {
  const server = useAgentServer()
  const { assistant } = useStudio()
  const query = useQuery(graphQuery(server, assistant.assistant_id))
  const { search, change } = useStudioSearch()
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const drawing = useMemo(() => query.data && drawingOf(query.data, folded), [query.data, folded])
  const toggle = (group: string) => {
    const after = new Set(folded)
    if (!after.delete(group)) after.add(group)
    setFolded(after)
  }
  const choose = (node: string | undefined) => change({ node }, { replace: true })
  return (
    <QueryView query={query} what="the graph" skeleton={<Skeleton lines={6} className="p-4" />}>
      {() =>
        drawing && (
          <>
            <div className="relative min-h-48 flex-1" data-graph="">
              <Suspense fallback={<Skeleton lines={6} className="p-4" />}>
                <GraphView
                  drawing={drawing}
                  chosen={search.node}
                  choose={choose}
                  toggleGroup={toggle}
                />
              </Suspense>
            </div>
            <NodeList drawing={drawing} chosen={search.node} choose={choose} />
            {search.node && (
              <NodeDetails id={search.node} drawing={drawing} close={() => choose(undefined)} />
            )}
          </>
        )
      }
    </QueryView>
  )
}

/** The graph as text: each node, its state, and the next nodes. */
function NodeList(props: {
  drawing: Drawing
  chosen: string | undefined
  choose: (node: string) => void
}) {
  const { nodes, edges } = props.drawing
  const { activity, next } = useStudioStream()
  const names = new Map(nodes.map(({ id, name }) => [id, name]))
  return (
    <details className="shrink-0 border-t border-line bg-surface text-sm">
      <summary className="cursor-default px-3 py-2 font-medium text-ink-soft hover:text-ink">
        As a list
      </summary>
      <ul aria-label="Nodes" className="max-h-56 space-y-0.5 overflow-y-auto px-3 pb-3">
        {nodes.map(({ id, name }) => {
          const leads = edges.filter(({ source }) => source === id)
          return (
            <li key={id}>
              <button
                type="button"
                aria-current={props.chosen === id}
                onClick={() => props.choose(id)}
                className="w-full rounded-sm px-1.5 py-0.5 text-left hover:bg-hover aria-current:bg-accent-soft"
              >
                <span className="font-medium">{name}</span>{' '}
                <span className="text-ink-faint">
                  {STATE_WORDS[stateOfNode(activity, id, next)]}
                  {leads.length > 0 && '; leads to '}
                  {leads
                    .map(({ target, isConditional }) =>
                      isConditional ? `${names.get(target)} (at times)` : names.get(target),
                    )
                    .join(', ')}
                </span>
              </button>
            </li>
          )
        })}
      </ul>
    </details>
  )
}

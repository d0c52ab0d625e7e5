/** The left column: the graph as a drawing and as a list, and details of the chosen node. */
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useAgentServer } from '../../api/agent-server.tsx'
import { QueryView } from '../../design/query-view.tsx'
import { Skeleton } from '../../design/skeleton.tsx'
import { graphQuery } from '../queries.ts'
import { useStudioSearch } from '../search.ts'
import { useStudio } from '../studio-context.tsx'
import { drawingOf } from './drawing.ts'
import { NodeDetails } from './node-details.tsx'
import { NodeList } from './node-list.tsx'

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

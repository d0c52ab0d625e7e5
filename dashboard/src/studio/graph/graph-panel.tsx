/** The graph as a drawing and as a list, and details of the chosen node: the left column, or the whole page. */
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useAgentServer } from '../../api/agent-server.tsx'
import { IconButton } from '../../design/button.tsx'
import { classes } from '../../design/classes.ts'
import { Maximize2, Minimize2 } from '../../design/icon.gen.tsx'
import { QueryView } from '../../design/query-view.tsx'
import { SearchChoiceField } from '../../design/search-choice-field.tsx'
import { Skeleton } from '../../design/skeleton.tsx'
import { graphQuery } from '../queries.ts'
import { useStudioSearch } from '../search.ts'
import { useStudio, useStudioStream } from '../studio-context.tsx'
import { type Drawing, drawingOf, enclosing } from './drawing.ts'
import { NodeDetails } from './node-details.tsx'
import { STATE_WORDS, stateOfNode } from './node-state.ts'

const GraphView = lazy(() => import('./graph-view.tsx'))

export function GraphPanel() {
  const server = useAgentServer()
  const { assistant } = useStudio()
  const query = useQuery(graphQuery(server, assistant.assistant_id))
  const { search, change } = useStudioSearch()
  const { node, unfolded = NONE, canvas } = search
  const drawing = useMemo(
    () => query.data && drawingOf(query.data, new Set(unfolded)),
    [query.data, unfolded],
  )
  const toggle = useCallback(
    (group: string) => {
      const others = unfolded.filter((one) => one !== group)
      const after = others.length < unfolded.length ? others : [...others, group]
      change({ unfolded: after.length > 0 ? after : undefined }, { replace: true })
    },
    [unfolded, change],
  )
  const choose = useCallback(
    (chosen: string | undefined) => change({ node: chosen }, { replace: true }),
    [change],
  )
  const find = (found: string) => {
    const all = [...new Set([...unfolded, ...enclosing(found)])]
    change({ node: found, ...(all.length > 0 && { unfolded: all }) }, { replace: true })
  }
  return (
    <QueryView query={query} what="the graph" skeleton={<Skeleton lines={6} className="p-4" />}>
      {({ nodes }) =>
        drawing && (
          <div className={classes('flex min-h-0 flex-1 flex-col', canvas && node && 'lg:flex-row')}>
            <div className="flex min-h-48 min-w-0 flex-1 flex-col">
              <div className="flex shrink-0 items-center gap-1 border-b border-line bg-surface px-2 py-1.5">
                <FindNode ids={nodes.map(({ id }) => String(id))} find={find} />
                <IconButton
                  label={canvas ? 'Show the graph beside the conversation' : 'Show only the graph'}
                  icon={canvas ? <Minimize2 size={15} /> : <Maximize2 size={15} />}
                  onPress={() => change({ canvas: canvas ? undefined : true })}
                />
              </div>
              <div className="relative min-h-0 flex-1" data-graph="">
                <Suspense fallback={<Skeleton lines={6} className="p-4" />}>
                  <GraphView drawing={drawing} chosen={node} choose={choose} toggleGroup={toggle} />
                </Suspense>
              </div>
              <NodeList drawing={drawing} chosen={node} choose={choose} />
            </div>
            {node && (
              <NodeDetails
                id={node}
                drawing={drawing}
                isBeside={canvas}
                close={() => choose(undefined)}
              />
            )}
          </div>
        )
      }
    </QueryView>
  )
}

const NONE: readonly string[] = []

/** Finds nodes by their names and those of their enclosing graphs, the folded ones too. */
function FindNode({ ids, find }: { ids: readonly string[]; find: (id: string) => void }) {
  const [text, setText] = useState('')
  const groups = [...new Set(ids.flatMap(enclosing))]
  const choices = [...groups, ...ids].map((id) => ({
    id,
    label: id.split(':').at(-1) ?? id,
    help: enclosing(id).at(-1)?.replaceAll(':', ' › '),
  }))
  return (
    <div className="mr-auto w-full max-w-80 min-w-0">
      <SearchChoiceField
        label="Find a node"
        isLabelHidden
        placeholder="Find a node"
        value={text}
        onChange={setText}
        onFind={(id) => {
          setText('')
          // An empty field with the focus would list all nodes over the one that was found.
          if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
          find(id)
        }}
        choices={choices}
      />
    </div>
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

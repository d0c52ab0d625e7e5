import { useStudioStream } from '../studio-context.tsx'
import type { Drawing } from './drawing.ts'
import { STATE_WORDS, stateOfNode } from './node-state.ts'

/** The graph as text: each node, its state, and the next nodes. */
export function NodeList(props: {
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

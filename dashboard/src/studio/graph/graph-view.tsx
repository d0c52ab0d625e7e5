/** The drawing itself. Loaded when the column is first shown. */
import '@xyflow/react/dist/base.css'
import './graph.css'
import {
  Background,
  Controls,
  type Edge,
  type Node,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from '@xyflow/react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { ErrorNote } from '../../design/error-note.tsx'
import { useStudio, useStudioStream } from '../studio-context.tsx'
import type { Drawing } from './drawing.ts'
import { isTaken } from './drawing.ts'
import { edgeTypes, nodeTypes, type StepEdgeData, type StepNodeData } from './graph-parts.tsx'
import { type Direction, type Layout, layOut } from './layout.ts'
import { stateOfNode } from './node-state.ts'

interface GraphViewProps {
  drawing: Drawing
  chosen: string | undefined
  choose: (node: string | undefined) => void
  toggleGroup: (group: string) => void
}

export default function GraphView(props: GraphViewProps) {
  const { ref, direction } = useDirection()
  const { layout, error } = useLayout(props.drawing, direction)
  return (
    <div ref={ref} className="absolute inset-0">
      {error !== undefined && <ErrorNote error={error} title="The graph could not be laid out." />}
      {layout && (
        <ReactFlowProvider>
          <Flow {...props} layout={layout} direction={direction} />
        </ReactFlowProvider>
      )}
    </div>
  )
}

function Flow(props: GraphViewProps & { layout: Layout; direction: Direction }) {
  const { drawing, layout, direction, chosen, choose, toggleGroup } = props
  const { activity, next, isRunning } = useStudioStream()
  const { breakpoints } = useStudio()
  const nodes = useMemo(
    (): Node<StepNodeData>[] =>
      drawing.nodes.map((node) => {
        const place = layout.nodes.get(node.id) ?? { x: 0, y: 0, width: 96, height: 40 }
        return {
          id: node.id,
          type: node.kind === 'group' ? 'subgraph' : node.kind === 'node' ? 'step' : 'end',
          position: { x: place.x, y: place.y },
          width: place.width,
          height: place.height,
          ...(node.parent && { parentId: node.parent }),
          data: {
            name: node.name,
            state: stateOfNode(activity, node.id, next),
            isChosen: chosen === node.id,
            isFoldable: drawing.groups.includes(node.id),
            stopsBefore: breakpoints.before.includes(node.id),
            stopsAfter: breakpoints.after.includes(node.id),
            direction,
            choose: () => choose(chosen === node.id ? undefined : node.id),
            toggle: () => toggleGroup(node.id),
          },
        }
      }),
    [drawing, layout, activity, next, chosen, breakpoints, direction, choose, toggleGroup],
  )
  const edges = useMemo((): Edge<StepEdgeData>[] => {
    const ended = isRunning || next.length > 0 ? [] : lastNames(activity)
    const taken = new Set([...activity.edges, ...ended.map((name) => `${name}→__end__`)])
    return drawing.edges.map((edge) => ({
      id: edge.id,
      source: edge.source,
      target: edge.target,
      type: 'step',
      zIndex: 1,
      data: {
        points: layout.edges.get(edge.id)?.points ?? [],
        labelAt: layout.edges.get(edge.id)?.label,
        label: edge.label,
        isConditional: edge.isConditional,
        isTaken: isTaken(edge, taken),
      },
    }))
  }, [drawing, layout, activity, next, isRunning])
  useFit(layout)
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      minZoom={0.2}
      maxZoom={1.6}
      fitView
      fitViewOptions={FIT}
      onPaneClick={() => choose(undefined)}
    >
      <Background gap={20} size={1} color="var(--color-line)" />
      <Controls showInteractive={false} fitViewOptions={FIT} aria-label="Zoom" />
    </ReactFlow>
  )
}

const FIT = { padding: 0.12, maxZoom: 1 }

/** Fits the whole graph into view after each new layout or size. */
function useFit(layout: Layout) {
  const { fitView } = useReactFlow()
  const width = useStore((store) => store.width)
  const height = useStore((store) => store.height)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each layout and size
  useEffect(() => {
    const frame = requestAnimationFrame(() => void fitView(FIT))
    return () => cancelAnimationFrame(frame)
  }, [layout, width, height, fitView])
}

function lastNames({
  tasks,
}: {
  tasks: readonly { name: string; path: readonly string[]; step: number }[]
}) {
  const top = tasks.filter(({ path }) => path.length === 0)
  const last = top.at(-1)
  return top.filter(({ step }) => step === last?.step).map(({ name }) => name)
}

function useLayout(drawing: Drawing, direction: Direction) {
  const [layout, setLayout] = useState<Layout>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    let isLatest = true
    layOut(drawing, direction).then(
      (found) => isLatest && setLayout(found),
      (reason) => isLatest && setError(reason),
    )
    return () => {
      isLatest = false
    }
  }, [drawing, direction])
  return { layout, error }
}

/** Left to right if there is room; top to bottom in a narrow column. */
function useDirection() {
  const ref = useRef<HTMLDivElement>(null)
  const [direction, setDirection] = useState<Direction>('DOWN')
  useEffect(() => {
    const box = ref.current
    if (!box) return
    const observer = new ResizeObserver(() =>
      setDirection(box.clientWidth > box.clientHeight * 0.9 ? 'RIGHT' : 'DOWN'),
    )
    observer.observe(box)
    return () => observer.disconnect()
  }, [])
  return { ref, direction }
}

/** The drawing itself. Loaded when the column is first shown. */
import '@xyflow/react/dist/base.css'
import './graph.css'
import {
  Background,
  ControlButton,
  Controls,
  type Edge,
  MiniMap,
  type Node,
  type NodeHandle,
  Position,
  ReactFlow,
  ReactFlowProvider,
} from '@xyflow/react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { ErrorNote } from '../../design/error-note.tsx'
import { LocateFixed, LocateOff, Scan } from '../../design/icon.gen.tsx'
import type { Activity } from '../activity.ts'
import { useStudio, useStudioStream } from '../studio-context.tsx'
import { useCamera } from './camera.ts'
import { type Drawing, isTaken } from './drawing.ts'
import { edgeTypes, nodeTypes, type StepEdgeData, type StepNodeData } from './graph-parts.tsx'
import { type Direction, type Layout, layOut, type Placed } from './layout.ts'
import { type NodeState, stateOfNode } from './node-state.ts'

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
          <Flow {...props} {...layout} />
        </ReactFlowProvider>
      )}
    </div>
  )
}

type FlowNode = Node<StepNodeData>

/** `drawing` belongs to `layout`; `GraphView` may have a newer drawing, whose layout is not finished. */
function Flow(props: GraphViewProps & LaidOut) {
  const { drawing, layout, direction, chosen, choose, toggleGroup } = props
  const { activity, next, isRunning } = useStudioStream()
  const { breakpoints } = useStudio()
  const states = useMemo(
    () => new Map(drawing.nodes.map(({ id }) => [id, stateOfNode(activity, id, next)])),
    [drawing, activity, next],
  )
  const running = drawing.nodes.map(({ id }) => id).filter((id) => states.get(id) === 'running')
  const camera = useCamera({
    layout,
    direction,
    chosen,
    running: running.filter((id) => !running.some((one) => one.startsWith(`${id}:`))),
  })
  const { hold } = camera
  const pick = useCallback((id: string) => choose(chosen === id ? undefined : id), [choose, chosen])
  const toggle = useCallback(
    (id: string) => {
      hold(id)
      toggleGroup(id)
    },
    [hold, toggleGroup],
  )
  const nodes = useMemo(
    () =>
      drawing.nodes.map((node): FlowNode => {
        const place = layout.nodes.get(node.id) ?? { x: 0, y: 0, width: 96, height: 40 }
        const { width, height } = place
        return {
          id: node.id,
          type: node.kind === 'group' ? 'subgraph' : node.kind === 'node' ? 'step' : 'end',
          position: { x: place.x, y: place.y },
          width,
          height,
          // Only the nodes in view are rendered, so the library cannot measure all of them.
          measured: { width, height },
          handles: handlesOf(place, direction),
          ...(node.parent && { parentId: node.parent }),
          data: {
            name: node.name,
            state: states.get(node.id) ?? 'idle',
            isChosen: chosen === node.id,
            inner: node.inner,
            stopsBefore: breakpoints.before.includes(node.id),
            stopsAfter: breakpoints.after.includes(node.id),
            direction,
            pick,
            toggle,
          },
        }
      }),
    [drawing, layout, direction, states, chosen, breakpoints, pick, toggle],
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
      onlyRenderVisibleElements
      minZoom={0.1}
      maxZoom={1.6}
      attributionPosition="top-right"
      onMoveStart={camera.onMoveStart}
      onPaneClick={() => choose(undefined)}
    >
      <Background gap={20} size={1} color="var(--color-line)" />
      <Controls showInteractive={false} showFitView={false} aria-label="View of the graph">
        <ControlButton title="Fit the graph" aria-label="Fit the graph" onClick={camera.fit}>
          <Scan size={14} />
        </ControlButton>
        <ControlButton
          title={FOLLOW}
          aria-label={FOLLOW}
          aria-pressed={camera.isFollowing}
          onClick={() => camera.setFollowing(!camera.isFollowing)}
        >
          {camera.isFollowing ? <LocateFixed size={14} /> : <LocateOff size={14} />}
        </ControlButton>
      </Controls>
      {camera.isLarge && (
        <MiniMap<FlowNode>
          pannable
          zoomable
          onClick={(_, at) => camera.look(at)}
          ariaLabel="Overview of the graph"
          style={direction === 'RIGHT' ? { width: 180, height: 90 } : { width: 90, height: 140 }}
          nodeColor={({ type, data }) =>
            type === 'subgraph' ? 'var(--color-hover)' : COLOURS[data.state]
          }
          nodeStrokeColor={({ data }) => COLOURS[data.state]}
          nodeStrokeWidth={6}
          bgColor="var(--color-surface)"
          maskColor="color-mix(in srgb, var(--color-ink) 12%, transparent)"
        />
      )}
    </ReactFlow>
  )
}

const FOLLOW = 'Follow the running node'

const COLOURS: Record<NodeState, string> = {
  running: 'var(--color-accent)',
  done: 'var(--color-good)',
  failed: 'var(--color-bad)',
  waits: 'var(--color-wait)',
  idle: 'var(--color-line-strong)',
}

/** Where edges begin and end at a node that is not rendered; the layout draws them. */
function handlesOf({ width, height }: Placed, direction: Direction): NodeHandle[] {
  const isRight = direction === 'RIGHT'
  const [from, to] = isRight ? [Position.Left, Position.Right] : [Position.Top, Position.Bottom]
  const middle = isRight ? { x: 0, y: height / 2 } : { x: width / 2, y: 0 }
  const end = isRight ? { ...middle, x: width } : { ...middle, y: height }
  return [
    { type: 'target', position: from, width: 1, height: 1, ...middle },
    { type: 'source', position: to, width: 1, height: 1, ...end },
  ]
}

function lastNames({ tasks }: Activity) {
  const top = tasks.filter(({ path }) => path.length === 0)
  const last = top.at(-1)
  return top.filter(({ step }) => step === last?.step).map(({ name }) => name)
}

interface LaidOut {
  drawing: Drawing
  direction: Direction
  layout: Layout
}

function useLayout(drawing: Drawing, direction: Direction) {
  const [layout, setLayout] = useState<LaidOut>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    let isLatest = true
    layOut(drawing, direction).then(
      (found) => isLatest && setLayout({ drawing, direction, layout: found }),
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

/** The look of the graph's nodes and edges. */
import {
  BaseEdge,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  Handle,
  type Node,
  type NodeProps,
  Position,
} from '@xyflow/react'
import { classes } from '../../design/classes.ts'
import { ChevronDown, ChevronRight } from '../../design/icon.gen.tsx'
import { Mark, type Tone } from '../../design/status.tsx'
import { type Direction, type Point, pathThrough } from './layout.ts'
import { type NodeState, STATE_WORDS } from './node-state.ts'

export interface StepNodeData extends Record<string, unknown> {
  name: string
  state: NodeState
  isChosen: boolean
  /** Of a graph within the graph: how many nodes it has. */
  inner: number
  stopsBefore: boolean
  stopsAfter: boolean
  direction: Direction
  pick: (id: string) => void
  toggle: (id: string) => void
}

export interface StepEdgeData extends Record<string, unknown> {
  points: readonly Point[]
  label: string | undefined
  labelAt: Point | undefined
  isConditional: boolean
  isTaken: boolean
}

const LOOKS: Record<NodeState, string> = {
  running: 'border-accent bg-accent-soft text-accent ring-2 ring-accent/30',
  done: 'border-line-strong bg-surface',
  failed: 'border-bad bg-bad-soft',
  waits: 'border-wait bg-wait-soft',
  idle: 'border-line bg-surface text-ink-soft',
}

const TONES: Record<NodeState, Tone> = {
  running: 'live',
  done: 'good',
  failed: 'bad',
  waits: 'wait',
  idle: 'off',
}

function StepNode({ id, data }: NodeProps<Node<StepNodeData>>) {
  const { name, state, isChosen, inner } = data
  const words = [
    inner > 0 && `a graph of ${inner} nodes`,
    STATE_WORDS[state],
    data.stopsBefore && 'stops before it',
    data.stopsAfter && 'stops after it',
  ]
  return (
    <div className="relative h-full" data-node={name} data-state={state}>
      <Ends {...data} />
      <button
        type="button"
        aria-label={[name, ...words.filter(Boolean)].join(', ')}
        aria-pressed={isChosen}
        onClick={() => data.pick(id)}
        className={classes(
          'nopan pointer-events-auto flex h-full w-full items-center gap-2 rounded-md border px-2.5 font-mono text-sm transition-colors',
          LOOKS[state],
          inner > 0 && 'border-double border-4 pr-14',
          isChosen && 'outline-2 outline-accent',
        )}
      >
        <Mark tone={TONES[state]} />
        <span className="min-w-0 truncate">{name}</span>
      </button>
      {inner > 0 && (
        <>
          <span className="pointer-events-none absolute inset-y-0 right-9 flex items-center text-xs text-ink-soft">
            {inner}
          </span>
          <FoldButton isFolded name={name} toggle={() => data.toggle(id)} />
        </>
      )}
    </div>
  )
}

function GroupNode({ id, data }: NodeProps<Node<StepNodeData>>) {
  const { name, state, isChosen } = data
  return (
    <div
      data-node={name}
      data-state={state}
      className={classes(
        'relative h-full rounded-lg border border-dashed bg-hover/60',
        state === 'running' ? 'border-accent' : 'border-line-strong',
        isChosen && 'outline-2 outline-accent',
      )}
    >
      <Ends {...data} />
      <button
        type="button"
        aria-label={`${name}, a graph within the graph, ${STATE_WORDS[state]}`}
        aria-pressed={isChosen}
        onClick={() => data.pick(id)}
        className="nopan pointer-events-auto flex h-8 max-w-[calc(100%-2rem)] items-center gap-2 rounded-md px-2.5 font-mono text-sm text-ink-soft hover:text-ink"
      >
        <Mark tone={TONES[state]} />
        <span className="min-w-0 truncate">{name}</span>
      </button>
      <FoldButton name={name} toggle={() => data.toggle(id)} />
    </div>
  )
}

function EndNode({ data }: NodeProps<Node<StepNodeData>>) {
  return (
    <div className="flex h-full items-center justify-center rounded-full border border-line bg-sunken text-xs text-ink-soft">
      <Ends {...data} />
      {data.name}
    </div>
  )
}

function FoldButton(props: { name: string; isFolded?: boolean; toggle: () => void }) {
  const Icon = props.isFolded ? ChevronRight : ChevronDown
  return (
    <button
      type="button"
      aria-label={props.isFolded ? `Unfold ${props.name}` : `Fold ${props.name}`}
      aria-expanded={!props.isFolded}
      onClick={props.toggle}
      className={classes(
        'nopan pointer-events-auto absolute right-2 rounded-sm p-1 text-ink-faint hover:bg-hover hover:text-ink',
        props.isFolded ? 'top-1/2 -translate-y-1/2' : 'top-1.5',
      )}
    >
      <Icon size={14} />
    </button>
  )
}

const STOP_SIGNS = {
  RIGHT: ['top-1/2 -left-1.5 -translate-y-1/2', 'top-1/2 -right-1.5 -translate-y-1/2'],
  DOWN: ['-top-1.5 left-1/2 -translate-x-1/2', '-bottom-1.5 left-1/2 -translate-x-1/2'],
}

/** The handles, which the library requires (the layout decides where edges end), and a red dot where the run stops. */
function Ends({ direction, stopsBefore, stopsAfter }: StepNodeData) {
  const [from, to] =
    direction === 'RIGHT' ? [Position.Left, Position.Right] : [Position.Top, Position.Bottom]
  const [before, after] = STOP_SIGNS[direction]
  const sign = 'absolute size-3 rounded-full border-2 border-surface bg-bad'
  return (
    <>
      <Handle type="target" position={from} isConnectable={false} className="invisible" />
      <Handle type="source" position={to} isConnectable={false} className="invisible" />
      {stopsBefore && (
        <span aria-hidden title="Stops before it" className={classes(sign, before)} />
      )}
      {stopsAfter && <span aria-hidden title="Stops after it" className={classes(sign, after)} />}
    </>
  )
}

function StepEdge({ id, data }: EdgeProps<Edge<StepEdgeData>>) {
  if (!data) return null
  const colour = data.isTaken ? 'var(--color-accent)' : 'var(--color-line-strong)'
  const marker = `arrow-${data.isTaken ? 'taken' : 'open'}`
  return (
    <>
      <defs>
        <marker
          id={`${marker}-${id}`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path d="M0 0.5 L8 4 L0 7.5 Z" fill={colour} />
        </marker>
      </defs>
      <BaseEdge
        id={id}
        path={pathThrough(data.points)}
        markerEnd={`url(#${marker}-${id})`}
        style={{
          stroke: colour,
          strokeWidth: data.isTaken ? 2.25 : 1.25,
          ...(data.isConditional && { strokeDasharray: '5 4' }),
        }}
      />
      {data.label && data.labelAt && (
        <EdgeLabelRenderer>
          <span
            className="absolute rounded-sm bg-canvas px-1 text-xs text-ink-soft"
            style={{
              transform: `translate(-50%, -50%) translate(${data.labelAt.x}px, ${data.labelAt.y}px)`,
            }}
          >
            {data.label}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  )
}

export const nodeTypes = { step: StepNode, subgraph: GroupNode, end: EndNode }
export const edgeTypes = { step: StepEdge }

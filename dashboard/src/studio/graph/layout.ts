/** Places the boxes and routes the edges around them, with ELK in a worker. */
import type { ELK, ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js'
import ELKApi from 'elkjs/lib/elk-api.js'
import elkWorker from 'elkjs/lib/elk-worker.min.js?url'
import type { Drawing, DrawnEdge, DrawnNode } from './drawing.ts'

export interface Placed {
  x: number
  y: number
  width: number
  height: number
}

export interface Layout {
  width: number
  height: number
  /** Relative to the enclosing box. */
  nodes: ReadonlyMap<string, Placed>
  /** Relative to the whole drawing. */
  edges: ReadonlyMap<string, { points: readonly Point[]; label: Point | undefined }>
}

export interface Point {
  x: number
  y: number
}

/** An area that is higher than wide suits DOWN. */
export type Direction = 'RIGHT' | 'DOWN'

let elk: ELK | undefined

export async function layOut(drawing: Drawing, direction: Direction): Promise<Layout> {
  elk ??= new ELKApi({ workerFactory: () => new Worker(elkWorker) })
  const root: ElkNode = await elk.layout({
    id: 'root',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': direction,
      'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
      'elk.json.edgeCoords': 'ROOT',
      'elk.edgeRouting': 'ORTHOGONAL',
      // An edge to an earlier node is the one that closes a cycle.
      'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
      'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
      'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
      'elk.layered.spacing.nodeNodeBetweenLayers': '36',
      'elk.spacing.nodeNode': '28',
      'elk.spacing.edgeNode': '18',
      'elk.spacing.edgeLabel': '4',
    },
    children: childrenOf(drawing.nodes, undefined),
    edges: drawing.edges.map(edgeOf),
  })
  const { width = 0, height = 0 } = root
  return { width, height, nodes: placesOf(root.children ?? []), edges: pathsOf(root.edges ?? []) }
}

function childrenOf(nodes: readonly DrawnNode[], parent: string | undefined): ElkNode[] {
  return nodes
    .filter((node) => node.parent === parent)
    .map((node) => {
      if (node.kind !== 'group') return { id: node.id, ...sizeOf(node) }
      return {
        id: node.id,
        children: childrenOf(nodes, node.id),
        layoutOptions: {
          'elk.padding': '[top=36,left=14,bottom=14,right=14]',
          // An edge that enters from above needs room beside the name.
          'elk.nodeSize.constraints': 'MINIMUM_SIZE',
          'elk.nodeSize.minimum': `(${2 * (node.name.length * 8 + 48)}, 60)`,
        },
      }
    })
}

function sizeOf({ name, kind, inner }: DrawnNode) {
  const isEnd = kind === 'start' || kind === 'end'
  return isEnd
    ? { width: 64, height: 28 }
    : { width: Math.min(280, Math.max(96, name.length * 8 + (inner > 0 ? 100 : 52))), height: 40 }
}

function edgeOf({ id, source, target, label }: DrawnEdge): ElkExtendedEdge {
  const labels = label ? [{ text: label, width: label.length * 6.5 + 8, height: 16 }] : []
  return { id, sources: [source], targets: [target], labels }
}

function placesOf(nodes: readonly ElkNode[]): Map<string, Placed> {
  const places = new Map<string, Placed>()
  for (const { id, x = 0, y = 0, width = 0, height = 0, children } of nodes) {
    places.set(id, { x, y, width, height })
    for (const [inner, place] of placesOf(children ?? [])) places.set(inner, place)
  }
  return places
}

function pathsOf(edges: readonly ElkExtendedEdge[]): Layout['edges'] {
  return new Map(
    edges.map(({ id, sections, labels }) => {
      const points = (sections ?? []).flatMap(({ startPoint, bendPoints, endPoint }) => [
        startPoint,
        ...(bendPoints ?? []),
        endPoint,
      ])
      const [label] = labels ?? []
      const at =
        label && label.x !== undefined && label.y !== undefined
          ? { x: label.x + (label.width ?? 0) / 2, y: label.y + (label.height ?? 0) / 2 }
          : undefined
      return [id, { points, label: at }]
    }),
  )
}

/** A line through the points with round corners. */
export function pathThrough(points: readonly Point[], radius = 8): string {
  const [first, ...rest] = points
  if (!first) return ''
  let path = `M ${first.x} ${first.y}`
  rest.forEach((point, index) => {
    const next = rest[index + 1]
    const before = index === 0 ? first : rest[index - 1]
    if (!next || !before) {
      path += ` L ${point.x} ${point.y}`
      return
    }
    const from = towards(point, before, radius)
    const to = towards(point, next, radius)
    path += ` L ${from.x} ${from.y} Q ${point.x} ${point.y} ${to.x} ${to.y}`
  })
  return path
}

function towards(from: Point, to: Point, most: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  const part = length === 0 ? 0 : Math.min(most, length / 2) / length
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
}

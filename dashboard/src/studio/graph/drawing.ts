/** Turns the server's graph into boxes within boxes and the edges between them, ready for layout. */
import type { AssistantGraph } from '@langchain/langgraph-sdk'

export interface DrawnNode {
  /** With the names of the enclosing graphs: `outer:inner`. */
  id: string
  name: string
  /** `group`: a graph within the graph that is unfolded. */
  kind: 'start' | 'end' | 'node' | 'group'
  parent: string | undefined
  /** Of a graph within the graph, folded or not: how many nodes it has. */
  inner: number
}

export interface DrawnEdge {
  id: string
  source: string
  target: string
  isConditional: boolean
  label: string | undefined
}

export interface Drawing {
  /** Groups come before their contents. */
  nodes: readonly DrawnNode[]
  edges: readonly DrawnEdge[]
}

/** `unfolded`: the groups that are drawn as boxes; every other one is drawn as one node. */
export function drawingOf(graph: AssistantGraph, unfolded: ReadonlySet<string>): Drawing {
  const ids = graph.nodes.map(({ id }) => String(id))
  const groups = groupsOf(ids)
  const folded = new Set(groups.filter((group) => !unfolded.has(group)))
  const shown = new Map<string, DrawnNode>()
  for (const id of [...groups, ...ids]) {
    const hidden = foldedAround(id, folded)
    if (hidden || shown.has(id)) continue
    const inner = ids.filter((one) => one.startsWith(`${id}:`)).length
    shown.set(id, { ...nodeOf(id, inner > 0 && unfolded.has(id)), inner })
  }
  const edges = new Map<string, DrawnEdge>()
  for (const { source, target, conditional, data } of graph.edges) {
    const from = foldedAround(String(source), folded) ?? String(source)
    const to = foldedAround(String(target), folded) ?? String(target)
    if (from === to && String(source) !== String(target)) continue
    const id = `${from}→${to}`
    const label = typeof data === 'string' && data !== to ? data : undefined
    edges.set(id, { id, source: from, target: to, isConditional: conditional === true, label })
  }
  const drawn = [...edges.values()]
  return { nodes: inOrder([...shown.values()], drawn), edges: drawn }
}

/** The enclosing graphs of a node, outermost first. */
export function enclosing(id: string): string[] {
  const parts = id.split(':')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join(':'))
}

/** In the order in which a run can reach them; a group comes with its first node. */
function inOrder(nodes: readonly DrawnNode[], edges: readonly DrawnEdge[]): DrawnNode[] {
  const leads = Map.groupBy(edges, ({ source }) => source)
  const reached = new Set(['__start__'])
  for (const at of reached) for (const { target } of leads.get(at) ?? []) reached.add(target)
  const ranks = new Map<string, number>()
  for (const [at, id] of [...reached].entries())
    for (const one of [id, ...enclosing(id)]) if (!ranks.has(one)) ranks.set(one, at)
  const rank = ({ id, kind }: DrawnNode): number =>
    kind === 'end' ? reached.size : (ranks.get(id) ?? reached.size - 0.5)
  const depth = ({ id }: DrawnNode) => id.split(':').length
  return nodes.toSorted((a, b) => rank(a) - rank(b) || depth(a) - depth(b))
}

/** Outermost first. */
function groupsOf(ids: readonly string[]): string[] {
  return [...new Set(ids.flatMap(enclosing))].sort(
    (a, b) => a.split(':').length - b.split(':').length,
  )
}

/** The outermost folded group around the node. */
function foldedAround(id: string, folded: ReadonlySet<string>): string | undefined {
  return enclosing(id).find((group) => folded.has(group))
}

function nodeOf(id: string, isGroup: boolean): Omit<DrawnNode, 'inner'> {
  const parts = id.split(':')
  const name = parts.at(-1) ?? id
  const parent = parts.length > 1 ? parts.slice(0, -1).join(':') : undefined
  const kind =
    name === '__start__' ? 'start' : name === '__end__' ? 'end' : isGroup ? 'group' : 'node'
  return { id, name: kind === 'start' ? 'Start' : kind === 'end' ? 'End' : name, kind, parent }
}

/** Whether a run took the edge, by `activity.edges` at each level of the graph. */
export function isTaken({ source, target }: DrawnEdge, taken: ReadonlySet<string>): boolean {
  const from = source.split(':')
  const to = target.split(':')
  let level = 0
  while (level < from.length - 1 && from[level] === to[level]) level += 1
  const at = (parts: string[]) => parts.slice(0, level + 1).join(':')
  return taken.has(`${at(from)}→${at(to)}`)
}

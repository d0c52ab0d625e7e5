/** The name of a checkpoint in a history. */
import type { HistoryRow } from './history-page.ts'

export interface StepName {
  text: string
  /** The text consists of node names. */
  isNodes: boolean
}

/** `parent`: undefined if there is none, or it is not loaded. */
export function stepName(row: HistoryRow, parent: HistoryRow | undefined): StepName {
  if (row.source === 'input') return { text: 'Input', isNodes: false }
  if (row.source === 'update') return { text: 'State changed', isNodes: false }
  if (row.source === 'fork') return { text: 'Replayed', isNodes: false }
  const nodes = parent?.next ?? []
  if (nodes.length === 0) return { text: `Step ${row.step}`, isNodes: false }
  return { text: [...new Set(nodes)].map((node) => countOf(node, nodes)).join(', '), isNodes: true }
}

/** A node that several tasks ran at once is named once, with their count. */
function countOf(node: string, nodes: readonly string[]): string {
  const count = nodes.filter((one) => one === node).length
  return count > 1 ? `${node} ×${count}` : node
}

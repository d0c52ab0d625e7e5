/** The branches of a history: lines of checkpoints that split where a run or an edit continued from an earlier one. */
import type { HistoryRow } from './history-page.ts'

/** A line of checkpoints from its fork to its newest. */
export interface Branch {
  /** In the order in which they started: 1 is the original. */
  number: number
  /** Oldest first; checkpoints before the fork belong to the parent branch. */
  rows: readonly HistoryRow[]
  tip: HistoryRow
  /** The checkpoint that it continues; undefined if it starts the thread, or is not loaded. */
  forkedFrom: HistoryRow | undefined
  /** The branches that fork from it, oldest first. */
  branches: readonly Branch[]
}

export interface BranchTree {
  /** More than one if their common beginning is not loaded. */
  roots: readonly Branch[]
  /** Ordered by number. */
  all: readonly Branch[]
}

interface Growing extends Branch {
  rows: HistoryRow[]
  branches: Growing[]
}

/** `rows`: in any order. A checkpoint's oldest child continues its branch; each other child starts a branch. */
export function branchesOf(rows: readonly HistoryRow[]): BranchTree {
  const sorted = rows.toSorted(byAge)
  const byId = new Map(sorted.map((row) => [row.id, row]))
  const branchOf = new Map<string, Growing>()
  const roots: Growing[] = []
  for (const row of sorted) {
    const parent = row.parentId === undefined ? undefined : byId.get(row.parentId)
    const line = parent && branchOf.get(parent.id)
    if (line && line.tip === parent) {
      line.rows.push(row)
      line.tip = row
      branchOf.set(row.id, line)
      continue
    }
    const branch: Growing = { number: 0, rows: [row], tip: row, forkedFrom: parent, branches: [] }
    const siblings = line ? line.branches : roots
    siblings.push(branch)
    branchOf.set(row.id, branch)
  }
  const all = [...new Set(branchOf.values())]
  all.forEach((branch, place) => {
    branch.number = place + 1
  })
  return { roots, all }
}

/** The checkpoints from `tip` back to the beginning, as far as loaded. Newest first. */
export function pathTo(rows: readonly HistoryRow[], tip: HistoryRow): HistoryRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const path: HistoryRow[] = []
  let row: HistoryRow | undefined = tip
  while (row) {
    path.push(row)
    row = row.parentId === undefined ? undefined : byId.get(row.parentId)
  }
  return path
}

/**
 * The branch to show: among those through the selected checkpoint, the one with `chosen`, else the newest. With nothing
 * selected it is the newest of all, whatever was chosen before.
 */
export function currentBranch(
  tree: BranchTree,
  rows: readonly HistoryRow[],
  at: { checkpoint?: string | undefined; chosen?: string | undefined },
): Branch | undefined {
  const newestFirst = tree.all.toSorted((a, b) => byAge(b.tip, a.tip))
  const through = (id: string) =>
    newestFirst.filter(({ tip }) => pathTo(rows, tip).some((row) => row.id === id))
  if (at.checkpoint === undefined) return newestFirst[0]
  const candidates = through(at.checkpoint)
  const wanted = at.chosen === undefined ? [] : through(at.chosen)
  return candidates.find((branch) => wanted.includes(branch)) ?? candidates[0]
}

/** Ids start with the time. */
function byAge(a: HistoryRow, b: HistoryRow): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

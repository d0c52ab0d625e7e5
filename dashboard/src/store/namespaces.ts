/** Namespaces as a tree of labels. */

export interface Branch {
  label: string
  /** All labels from the root. */
  path: readonly string[]
  branches: Branch[]
}

/** Sorted by label on each level. */
export function treeOf(namespaces: readonly (readonly string[])[]): Branch[] {
  const roots: Branch[] = []
  for (const path of namespaces) {
    let level = roots
    for (const [depth, label] of path.entries()) {
      let branch = level.find((one) => one.label === label)
      if (!branch) {
        branch = { label, path: path.slice(0, depth + 1), branches: [] }
        level.push(branch)
      }
      level = branch.branches
    }
  }
  return sorted(roots)
}

function sorted(branches: Branch[]): Branch[] {
  for (const branch of branches) branch.branches = sorted(branch.branches)
  return branches.toSorted((a, b) => a.label.localeCompare(b.label))
}

/** The form used in addresses and by people; a label contains no period. */
export function pathText(path: readonly string[]): string {
  return path.join('.')
}

export function pathOf(text: string | undefined): string[] {
  return text ? text.split('.') : []
}

import { useState } from 'react'
import {
  Button,
  type Key,
  Tree,
  TreeItem,
  TreeItemContent,
  type TreeItemContentRenderProps,
} from 'react-aria-components'
import { classes } from '../design/classes.ts'
import { FoldMark } from '../design/fold-button.tsx'
import { Folder } from '../design/icon.gen.tsx'
import { type Branch, pathOf, pathText } from './namespaces.ts'

/** The whole store. */
const ROOT = '.'

export function NamespaceTree(props: {
  branches: readonly Branch[]
  path: readonly string[]
  onChoose: (path: readonly string[]) => void
}) {
  const { branches, path, onChoose } = props
  const [opened, setOpened] = useState<Set<Key>>(() => new Set(above(path)))
  return (
    <div className="rounded-lg border border-line bg-surface p-1.5">
      <Tree
        aria-label="Namespaces"
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[pathText(path) || ROOT]}
        expandedKeys={opened}
        onExpandedChange={setOpened}
        onSelectionChange={(keys) => {
          const [key] = keys === 'all' ? [] : keys
          if (key !== undefined) onChoose(key === ROOT ? [] : pathOf(String(key)))
        }}
        className="max-h-[60vh] overflow-auto outline-none"
      >
        <TreeItem id={ROOT} textValue="All items" className={ROW}>
          <TreeItemContent>
            <span className="flex items-center gap-1.5 px-2 py-1">All items</span>
          </TreeItemContent>
        </TreeItem>
        {branches.map((branch) => (
          <Node key={branch.label} branch={branch} />
        ))}
      </Tree>
    </div>
  )
}

const ROW =
  'cursor-default rounded-sm outline-none hover:bg-hover data-focus-visible:outline-2 data-focus-visible:-outline-offset-2 data-focus-visible:outline-accent data-selected:bg-accent-soft data-selected:font-medium data-selected:text-accent'

function Node({ branch }: { branch: Branch }) {
  return (
    <TreeItem id={pathText(branch.path)} textValue={branch.label} className={ROW}>
      <TreeItemContent>
        {({ hasChildItems, isExpanded, level }: TreeItemContentRenderProps) => (
          <span
            className="flex items-center gap-1.5 py-1 pr-2"
            style={{ paddingLeft: `${(level - 1) * 14 + 4}px` }}
          >
            <Button
              slot="chevron"
              className={classes('rounded-sm p-0.5 text-ink-faint', !hasChildItems && 'invisible')}
            >
              <FoldMark isOpen={isExpanded} />
            </Button>
            <Folder size={14} className="shrink-0 text-ink-faint" aria-hidden="true" />
            <span className="truncate">{branch.label}</span>
          </span>
        )}
      </TreeItemContent>
      {branch.branches.map((one) => (
        <Node key={one.label} branch={one} />
      ))}
    </TreeItem>
  )
}

/** The branches that must be open to show this one. */
function above(path: readonly string[]): string[] {
  return path.map((_, depth) => pathText(path.slice(0, depth + 1)))
}

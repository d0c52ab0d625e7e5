import { classes } from '../../design/classes.ts'
import { GitBranch } from '../../design/icon.gen.tsx'
import { Time } from '../../design/text/time.tsx'
import type { Branch, BranchTree } from './branches.ts'

/** The branches as a small tree; choosing one selects its newest checkpoint. Renders nothing for a single branch. */
export function BranchList(props: {
  tree: BranchTree
  current: Branch | undefined
  onChoose: (branch: Branch) => void
}) {
  const { tree, current, onChoose } = props
  if (tree.all.length < 2) return null
  return (
    <nav
      aria-label="Branches"
      className="max-h-40 shrink-0 overflow-y-auto border-b border-line px-2 py-1.5"
    >
      <Branches branches={tree.roots} current={current} onChoose={onChoose} />
    </nav>
  )
}

function Branches(props: {
  branches: readonly Branch[]
  current: Branch | undefined
  onChoose: (branch: Branch) => void
}) {
  return (
    <ul>
      {props.branches.map((branch) => (
        <li key={branch.rows[0]?.id}>
          <BranchButton
            branch={branch}
            isCurrent={branch === props.current}
            onChoose={props.onChoose}
          />
          {branch.branches.length > 0 && (
            <div className="ml-[13px] border-l border-line-strong/60 pl-2">
              <Branches {...props} branches={branch.branches} />
            </div>
          )}
        </li>
      ))}
    </ul>
  )
}

function BranchButton(props: {
  branch: Branch
  isCurrent: boolean
  onChoose: (branch: Branch) => void
}) {
  const { branch, isCurrent, onChoose } = props
  const { tip, forkedFrom, rows, number } = branch
  return (
    <button
      type="button"
      aria-current={isCurrent ? 'true' : undefined}
      onClick={() => onChoose(branch)}
      className={classes(
        'flex w-full items-center gap-1.5 rounded-md px-1.5 py-0.5 text-left text-sm hover:bg-hover',
        isCurrent && 'bg-accent-soft text-accent hover:bg-accent-soft',
      )}
    >
      <GitBranch size={13} className="shrink-0" aria-hidden="true" />
      <span className="font-medium whitespace-nowrap">
        {number === 1 ? 'Original' : `Branch ${number}`}
      </span>
      <span className="min-w-0 truncate text-xs text-ink-soft">
        {forkedFrom ? `from step ${forkedFrom.step} · ` : ''}
        {rows.length} {rows.length === 1 ? 'checkpoint' : 'checkpoints'}
      </span>
      {tip.createdAt && (
        <span className="ml-auto pl-2 text-xs text-ink-soft">
          <Time at={tip.createdAt} />
        </span>
      )}
    </button>
  )
}

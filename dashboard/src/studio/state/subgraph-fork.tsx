/** Forks from a step of a subgraph, if LangGraph can continue from it. */
import type { Checkpoint, ThreadState } from '@langchain/langgraph-sdk'
import { useState } from 'react'
import { useMay } from '../../api/session.ts'
import type { State } from '../../api/thread-state.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { GitBranch } from '../../design/icon.gen.tsx'
import { useHistorySearch } from '../history/search.ts'
import { useStudio } from '../studio-context.tsx'
import { ForkEditor } from './fork-editor.tsx'
import { hasOwnHistory } from './subgraph-place.ts'

/**
 * `isCurrent`: the thread is within this subgraph. Only then can a run continue from its steps, because a run from
 * before starts it anew; a subgraph with its own history (`checkpointer: true`) can be continued at any time.
 */
export function SubgraphFork(props: { state: ThreadState<State>; isCurrent: boolean }) {
  const { state, isCurrent } = props
  const { activeRun } = useStudio()
  const [isOpen, setOpen] = useState(false)
  const mayTalk = useMay('talk')
  const { checkpoint } = state
  if (!mayTalk || (!isCurrent && !hasOwnHistory(checkpoint.checkpoint_ns))) return null
  return (
    <div className="mt-2">
      <Button
        size="sm"
        icon={<GitBranch size={14} />}
        isDisabled={activeRun !== undefined}
        onPress={() => setOpen(true)}
      >
        Fork from this step
      </Button>
      {isOpen && (
        <Dialog title={titleOf(state)} isOpen onClose={() => setOpen(false)} size="wide">
          <Editor state={state} isCurrent={isCurrent} onDone={() => setOpen(false)} />
        </Dialog>
      )}
    </div>
  )
}

function titleOf({ checkpoint, metadata }: ThreadState<State>): string {
  const [name] = checkpoint.checkpoint_ns.split('|').at(-1)?.split(':') ?? []
  return `Fork from step ${String((metadata as State | null)?.step ?? '')} of ${name}`
}

function Editor(props: { state: ThreadState<State>; isCurrent: boolean; onDone: () => void }) {
  const { state, isCurrent, onDone } = props
  const { submit } = useStudio()
  const { change } = useHistorySearch()
  const goOn = async (written: Checkpoint, then: 'keep' | 'run') => {
    onDone()
    if (then === 'keep') return
    change({ checkpoint: undefined, branch: undefined })
    // In the current subgraph the run continues from the last write. Elsewhere the checkpoint must be named.
    await submit({ input: null }, { checkpoint: isCurrent ? null : written })
  }
  return (
    <ForkEditor
      checkpoint={state.checkpoint as Checkpoint}
      before={state.values ?? {}}
      schema={undefined}
      about="The state of the graph within the graph as it was at this step. What you write is what it goes on from; the steps that it has taken stay as they are."
      nodes={[]}
      keepText="Write only"
      onWritten={goOn}
    />
  )
}

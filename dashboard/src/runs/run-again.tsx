/** Starts a run anew, with the same input or another one. Its webhook is not called again. */
import type { Timeline } from '@runyard/client'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { isActive } from '../api/run-state.ts'
import { searchRuns } from '../api/runs.ts'
import { Button } from '../design/button.tsx'
import { FormDialog } from '../design/form-dialog.tsx'
import { JsonEditor } from '../design/json/editor.tsx'
import { jsonObject } from '../design/json/object.ts'
import { toastError } from '../design/toast.tsx'
import { boundsOf, type KnownRun } from './queries.ts'

type Given = Pick<KnownRun['kwargs'], 'input' | 'command'>

export function RunAgain(props: { server: AgentServer; timeline: Timeline; run: KnownRun }) {
  const { server, timeline, run } = props
  const [isEditing, setEditing] = useState(false)
  const navigate = useNavigate()
  const { mutateAsync, mutate, isPending } = useMutation({
    mutationFn: (given: Given) => startAgain(server, timeline, run, given),
    onSuccess: ({ thread_id, run_id }) => navigate({ to: server.pages.run(thread_id, run_id) }),
  })
  return (
    <>
      <Button isPending={isPending} onPress={() => mutate(run.kwargs, { onError: toastError })}>
        Run again
      </Button>
      <Button onPress={() => setEditing(true)}>With another input</Button>
      {isEditing && (
        <OtherInput run={run} onStart={mutateAsync} onClose={() => setEditing(false)} />
      )}
    </>
  )
}

function OtherInput(props: {
  run: KnownRun
  onStart: (given: Given) => Promise<unknown>
  onClose: () => void
}) {
  const { input, command, webhook } = props.run.kwargs
  const [text, setText] = useState(JSON.stringify(command ?? input ?? {}, null, 2))
  const value = jsonObject(text)
  return (
    <FormDialog
      title="Run with another input"
      size="wide"
      verb="Run"
      isDisabled={value === undefined}
      failure="The run could not be started."
      onSend={() => props.onStart(command ? { command: value } : { input: value })}
      onClose={props.onClose}
    >
      <p className="text-ink-soft">
        The run starts from the same state on a thread of its own; this thread stays as it is.
        {webhook && ' Its webhook is not called again.'}
      </p>
      <JsonEditor label={command ? 'Command' : 'Input'} text={text} onChange={setText} />
    </FormDialog>
  )
}

async function startAgain(
  server: AgentServer,
  timeline: Timeline,
  { kwargs }: KnownRun,
  given: Given,
) {
  const { client } = server
  const { thread_id, assistant_id } = timeline
  const start = await startOf(server, timeline, kwargs)
  const thread = start.isEmpty
    ? await client.threads.create()
    : await client.threads.copy(thread_id)
  const { configurable, ...config } = kwargs.config
  const own = Object.entries(configurable ?? {}).filter(([key]) => !GIVEN_BY_SERVER.test(key))
  const { interrupt_before, interrupt_after, stream_subgraphs, durability } = kwargs
  return client.runs.create(thread.thread_id, assistant_id, {
    input: given.input ?? null,
    ...(given.command && { command: given.command }),
    config: { ...config, configurable: Object.fromEntries(own) },
    context: kwargs.context,
    ...(interrupt_before && { interruptBefore: interrupt_before }),
    ...(interrupt_after && { interruptAfter: interrupt_after }),
    streamMode: kwargs.stream_mode,
    ...(stream_subgraphs !== undefined && { streamSubgraphs: stream_subgraphs }),
    ...(durability && { durability }),
    ...(start.checkpoint && { checkpointId: start.checkpoint }),
  })
}

/**
 * Where a run began: at a checkpoint of its thread, at the thread's current state (no `checkpoint`), or with an empty
 * thread. Throws if this is not known.
 */
async function startOf(
  server: AgentServer,
  timeline: Timeline,
  kwargs: KnownRun['kwargs'],
): Promise<{ isEmpty: boolean; checkpoint?: string }> {
  const { first } = boundsOf(timeline)
  const before = first ? first.parent_checkpoint_id : kwargs.checkpoint?.checkpoint_id
  if (before) return { isEmpty: false, checkpoint: before }
  if (first) return { isEmpty: true }
  // A run without a checkpoint has changed nothing.
  const { thread_id, run_id } = timeline
  const { runs, next } = await searchRuns(server, { thread_id, limit: MOST_RUNS })
  const [latest, ...others] = runs
  if (latest?.run_id === run_id && !others.some(isActive)) return { isEmpty: false }
  if (next === undefined && runs.at(-1)?.run_id === run_id) return { isEmpty: true }
  throw new Error(
    'This run made no checkpoint, and other runs have worked on its thread since: the state that it began with is not known. Start a new run in Studio.',
  )
}

/** How many runs of a thread are searched for a run without a checkpoint. */
const MOST_RUNS = 100

/** Keys of `configurable` that the server sets for each run. */
const GIVEN_BY_SERVER = /^((run|thread|graph|assistant|user)_id$|langgraph_)/

/** Starts a run anew: as it was, or with another input. */
import type { Timeline } from '@runyard/client'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { Button } from '../design/button.tsx'
import { reasonOf } from '../design/error-note.tsx'
import { FormDialog } from '../design/form-dialog.tsx'
import { JsonEditor } from '../design/json/editor.tsx'
import { jsonObject } from '../design/json/object.ts'
import { toast } from '../design/toast.tsx'
import type { KnownRun } from './queries.ts'

type Given = Pick<KnownRun['kwargs'], 'input' | 'command'>

export function RunAgain(props: { server: AgentServer; timeline: Timeline; run: KnownRun }) {
  const { server, timeline, run } = props
  const [isEditing, setEditing] = useState(false)
  const navigate = useNavigate()
  const { mutateAsync, mutate, isPending } = useMutation({
    mutationFn: (given: Given) => startAgain(server, timeline, run, given),
    onSuccess: ({ thread_id, run_id }) => navigate({ to: server.pages.run(thread_id, run_id) }),
  })
  const onError = (error: unknown) => toast(reasonOf(error), { tone: 'bad' })
  return (
    <>
      <Button isPending={isPending} onPress={() => mutate(run.kwargs, { onError })}>
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
  const { input, command } = props.run.kwargs
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
      </p>
      <JsonEditor label={command ? 'Command' : 'Input'} text={text} onChange={setText} />
    </FormDialog>
  )
}

/** On a copy of the thread from the checkpoint where the run began, or on a new thread if it was the first. */
async function startAgain(
  { client }: AgentServer,
  { thread_id, assistant_id, checkpoints }: Timeline,
  { kwargs }: KnownRun,
  given: Given,
) {
  const before = checkpoints.find(({ checkpoint_ns }) => checkpoint_ns === '')?.parent_checkpoint_id
  const thread = before ? await client.threads.copy(thread_id) : await client.threads.create()
  const { configurable, ...config } = kwargs.config
  const own = Object.entries(configurable ?? {}).filter(([key]) => !GIVEN_BY_SERVER.test(key))
  return client.runs.create(thread.thread_id, assistant_id, {
    input: given.input ?? null,
    ...(given.command && { command: given.command }),
    config: { ...config, configurable: Object.fromEntries(own) },
    context: kwargs.context,
    streamMode: kwargs.stream_mode,
    ...(before && { checkpointId: before }),
  })
}

/** Keys of `configurable` that the server sets for each run. */
const GIVEN_BY_SERVER = /^((run|thread|graph|assistant|user)_id$|langgraph_)/

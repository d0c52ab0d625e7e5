import type { Listener } from '@runyard/client'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { Actions, Dialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { SendForm } from '../design/form-dialog.tsx'
import { Tabs } from '../design/tabs.tsx'
import { CodeBlock } from '../design/text/code-block.tsx'
import { createListener, createListenerKey } from './queries.ts'

interface ListenerDialogProps {
  /** The listener that gets a new key. Absent: a new listener is created. */
  listener?: Listener
  onClose: () => void
  onDone: () => void
}

interface Made {
  name: string
  apiKey: string
}

/** Creates a listener or a new key for one, and shows once how to start it with that key. */
export function ListenerDialog({ listener, onClose, onDone }: ListenerDialogProps) {
  const [made, setMade] = useState<Made>()
  const take = (one: Made) => {
    setMade(one)
    onDone()
  }
  const title = listener ? `Another key for ${listener.compute_id}` : 'New listener'
  return (
    <Dialog title={made ? `Start ${made.name}` : title} size="wide" isOpen onClose={onClose}>
      {made ? (
        <Command {...made} onClose={onClose} />
      ) : listener ? (
        <KeyForm listener={listener} onMade={take} onCancel={onClose} />
      ) : (
        <ListenerForm onMade={take} onCancel={onClose} />
      )}
    </Dialog>
  )
}

function ListenerForm(props: { onMade: (made: Made) => void; onCancel: () => void }) {
  const [name, setName] = useState('')
  const [namespaces, setNamespaces] = useState('')
  const send = async () => {
    const { compute_id, key } = await createListener({
      compute_type: 'k8s',
      compute_id: name.trim(),
      compute_config: { k8s_namespaces: namesIn(namespaces) },
    })
    props.onMade({ name: compute_id, apiKey: key })
  }
  return (
    <SendForm
      verb="Create the listener"
      isDisabled={name.trim() === ''}
      failure="No listener was created."
      onSend={send}
      onCancel={props.onCancel}
    >
      <TextField
        label="Name"
        help="What its cluster is known by."
        value={name}
        onChange={setName}
        autoFocus
      />
      <TextField
        label="Namespaces"
        help="Where its deployments may run, by commas. None: anywhere in its cluster."
        placeholder="agents, tests"
        value={namespaces}
        onChange={setNamespaces}
      />
    </SendForm>
  )
}

function KeyForm(props: {
  listener: Listener
  onMade: (made: Made) => void
  onCancel: () => void
}) {
  const { id, compute_id } = props.listener
  const send = async () => {
    const { key } = await createListenerKey(id)
    props.onMade({ name: compute_id, apiKey: key })
  }
  return (
    <SendForm
      verb="Make another key"
      failure="No key was made."
      onSend={send}
      onCancel={props.onCancel}
    >
      <p>
        The key before is refused from then on: a listener that runs with it has to be started again
        with the new one. What runs there goes on meanwhile.
      </p>
    </SendForm>
  )
}

/** `null`: any name. */
function namesIn(text: string): string[] | null {
  const names = text.split(',').map((name) => name.trim())
  const given = names.filter((name) => name !== '')
  return given.length > 0 ? given : null
}

function Command({ name, apiKey, onClose }: Made & { onClose: () => void }) {
  const command = (runtime: string) => (
    <CodeBlock label="To start the listener" text={commandOf(apiKey, runtime)} />
  )
  return (
    <>
      <p className="mb-3">
        Start {name} in its cluster. <code>RUNYARD_PUBLIC_URL</code> is where its agents are
        reached. The key in the command is shown this once, and Runyard keeps only its hash.
      </p>
      <Tabs
        label="What starts the agents there"
        tabs={[
          { id: 'kubernetes', label: 'Kubernetes', content: command('kubernetes') },
          { id: 'docker', label: 'Docker or podman', content: command('docker') },
        ]}
      />
      <Actions>
        <Button kind="primary" onPress={onClose}>
          I have copied it
        </Button>
      </Actions>
    </>
  )
}

function commandOf(apiKey: string, runtime: string): string {
  return [
    `RUNYARD_API_KEY=${apiKey} \\`,
    `RUNYARD_RUNTIME=${runtime} \\`,
    'RUNYARD_PUBLIC_URL=https://agents.example.com \\',
    `  runyard listener --url ${location.origin}`,
  ].join('\n')
}

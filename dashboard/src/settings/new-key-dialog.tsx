import type { NewApiKey } from '@runyard/client'
import { useState } from 'react'
import type { Role } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { Actions, Dialog } from '../design/dialog.tsx'
import { type Choice, SelectField, TextField } from '../design/field.tsx'
import { SendForm } from '../design/form-dialog.tsx'
import { CodeBlock } from '../design/text/code-block.tsx'
import { createKey } from './queries.ts'

const ROLES: readonly Choice<Role>[] = [
  { value: 'agent', label: 'agent', help: 'Talks to agents, and nothing else: for programs' },
  {
    value: 'viewer',
    label: 'viewer',
    help: 'Reads everything but the values of secrets; cannot talk to agents',
  },
  {
    value: 'developer',
    label: 'developer',
    help: 'Makes, changes and deletes deployments; talks to agents',
  },
  { value: 'admin', label: 'admin', help: 'Everything in this workspace, keys as well' },
]

type Lifetime = 'never' | '30' | '90' | '365'
const LIFETIMES: readonly Choice<Lifetime>[] = [
  { value: 'never', label: 'Until it is revoked' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
]
const DAY_MS = 86_400_000

/** Creates a key, and shows it once. */
export function NewKeyDialog({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const [made, setMade] = useState<NewApiKey>()
  return (
    <Dialog title={made ? `The key ${made.name}` : 'New API key'} isOpen onClose={onClose}>
      {made ? (
        <>
          <p className="mb-3">Copy it now: Runyard shows it this once, and keeps only its hash.</p>
          <CodeBlock text={made.key} label="The key" />
          <Actions>
            <Button kind="primary" onPress={onClose}>
              I have copied it
            </Button>
          </Actions>
        </>
      ) : (
        <KeyForm
          onMade={(key) => {
            setMade(key)
            onMade()
          }}
          onCancel={onClose}
        />
      )}
    </Dialog>
  )
}

function KeyForm({ onMade, onCancel }: { onMade: (key: NewApiKey) => void; onCancel: () => void }) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('agent')
  const [lifetime, setLifetime] = useState<Lifetime>('never')
  const send = async () => {
    const expires_at =
      lifetime === 'never' ? null : new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString()
    onMade(await createKey({ name: name.trim(), role, expires_at }))
  }
  return (
    <SendForm
      verb="Create the key"
      isDisabled={name.trim() === ''}
      failure="No key was created."
      onSend={send}
      onCancel={onCancel}
    >
      <TextField
        label="Name"
        help="Who or what uses it: the audit log tells this name."
        value={name}
        onChange={setName}
        autoFocus
      />
      <SelectField label="Role" value={role} onChange={setRole} choices={ROLES} />
      <SelectField label="Good for" value={lifetime} onChange={setLifetime} choices={LIFETIMES} />
    </SendForm>
  )
}

import { mergedSecrets, type Secret } from '@runyard/client'
import { useState } from 'react'
import { Button, IconButton } from '../../design/button.tsx'
import { Actions, Dialog } from '../../design/dialog.tsx'
import { TextAreaField, TextField } from '../../design/field.tsx'
import { ClipboardPaste, Plus, X } from '../../design/icon.gen.tsx'
import { readEnv } from './env-text.ts'

/** Secrets to set: one by one, or pasted as lines of a .env file. */
export function SecretsField(props: {
  secrets: readonly Secret[]
  onChange: (secrets: Secret[]) => void
}) {
  const { secrets, onChange } = props
  const [isPasting, setPasting] = useState(false)
  const change = (place: number, part: Partial<Secret>) =>
    onChange(secrets.map((one, index) => (index === place ? { ...one, ...part } : one)))
  return (
    <div className="space-y-2">
      {secrets.map((secret, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an unsaved row is identified only by its position
        <div key={place} className="flex items-end gap-2 max-sm:flex-wrap">
          <div className="flex-1">
            <TextField
              label={place === 0 ? 'Name' : `Name of secret ${place + 1}`}
              isLabelHidden={place > 0}
              value={secret.name}
              onChange={(name) => change(place, { name: name.trim() })}
              placeholder="OPENAI_API_KEY"
              isMono
            />
          </div>
          <div className="flex-1">
            <TextField
              label={place === 0 ? 'Value' : `Value of secret ${place + 1}`}
              isLabelHidden={place > 0}
              type="password"
              value={secret.value}
              onChange={(value) => change(place, { value })}
              autoComplete="new-password"
            />
          </div>
          <IconButton
            label={`Leave out ${secret.name || `secret ${place + 1}`}`}
            icon={<X size={16} />}
            onPress={() => onChange(secrets.filter((_, index) => index !== place))}
          />
        </div>
      ))}
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          icon={<Plus size={14} />}
          onPress={() => onChange([...secrets, { name: '', value: '' }])}
        >
          Add a secret
        </Button>
        <Button
          size="sm"
          kind="quiet"
          icon={<ClipboardPaste size={14} />}
          onPress={() => setPasting(true)}
        >
          Paste a .env file
        </Button>
      </div>
      <PasteDialog
        isOpen={isPasting}
        onClose={() => setPasting(false)}
        onSecrets={(read) =>
          onChange(mergedSecrets(secrets, read).filter(({ name }) => name !== ''))
        }
      />
    </div>
  )
}

/** Takes pasted text at once and shows none of it. */
export function PasteDialog(props: {
  isOpen: boolean
  onClose: () => void
  onSecrets: (secrets: Secret[]) => void
}) {
  const [text, setText] = useState('')
  const read = readEnv(text)
  const close = () => {
    setText('')
    props.onClose()
  }
  return (
    <Dialog title="Paste a .env file" isOpen={props.isOpen} onClose={close}>
      <TextAreaField
        label="NAME=value lines"
        value={text}
        onChange={setText}
        rows={8}
        isMono
        autoFocus
        help={
          text &&
          `${read.length} ${read.length === 1 ? 'secret' : 'secrets'}: ${read.map(({ name }) => name).join(', ')}`
        }
      />
      <Actions>
        <Button onPress={close}>Cancel</Button>
        <Button
          kind="primary"
          isDisabled={read.length === 0}
          onPress={() => {
            props.onSecrets(read)
            close()
          }}
        >
          Take them
        </Button>
      </Actions>
    </Dialog>
  )
}

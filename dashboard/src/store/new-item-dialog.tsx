import { useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { TextField } from '../design/field.tsx'
import { FormDialog } from '../design/form-dialog.tsx'
import { JsonEditor } from '../design/json/editor.tsx'
import { jsonObject } from '../design/json/object.ts'
import { toast } from '../design/toast.tsx'
import { pathOf, pathText } from './namespaces.ts'
import { useStoreAction } from './queries.ts'

/** `path`: the suggested namespace. */
export function NewItemDialog(props: {
  server: AgentServer
  path: readonly string[]
  onClose: () => void
}) {
  const { server, onClose } = props
  const [namespace, setNamespace] = useState(pathText(props.path))
  const [key, setKey] = useState('')
  const [text, setText] = useState('{}')
  const action = useStoreAction(server)
  const value = jsonObject(text)
  const isWhole = namespace.trim() !== '' && key.trim() !== '' && value !== undefined
  const put = async () => {
    if (!value || !isWhole) return
    await action.mutateAsync(() =>
      server.client.store.putItem(pathOf(namespace.trim()), key.trim(), value),
    )
    toast('The item is there.')
  }
  return (
    <FormDialog
      title="New item"
      size="wide"
      layout="grid gap-4 sm:grid-cols-2"
      verb="Put"
      isDisabled={!isWhole}
      failure="It could not be put there."
      onSend={put}
      onClose={onClose}
    >
      <TextField
        label="Namespace"
        value={namespace}
        onChange={setNamespace}
        isMono
        placeholder="users.ann"
        help="Labels with periods between them."
      />
      <TextField label="Key" value={key} onChange={setKey} isMono />
      <div className="sm:col-span-2">
        <p className="mb-1 text-sm font-medium text-ink-soft">Value, a JSON object</p>
        <JsonEditor label="Value" text={text} onChange={setText} />
      </div>
    </FormDialog>
  )
}

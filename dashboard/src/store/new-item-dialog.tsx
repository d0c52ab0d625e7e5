import { useState } from 'react'
import type { AgentServer } from '../api/agent-server.tsx'
import { TextField } from '../design/field.tsx'
import { FormDialog } from '../design/form-dialog.tsx'
import { JsonEditor } from '../design/json/editor.tsx'
import { jsonObject } from '../design/json/object.ts'
import { toast } from '../design/toast.tsx'
import { ServerField } from '../shell/servers-page.tsx'
import { pathOf, pathText } from './namespaces.ts'
import { useStoreAction } from './queries.ts'

/** `path`: the suggested namespace. */
export function NewItemDialog(props: {
  servers: readonly AgentServer[]
  path: readonly string[]
  onClose: () => void
}) {
  const { servers, onClose } = props
  const [server, setServer] = useState(servers[0] as AgentServer)
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
    toast('The item is stored.')
  }
  return (
    <FormDialog
      title="New item"
      size="wide"
      layout="grid gap-4 sm:grid-cols-2"
      verb="Store"
      isDisabled={!isWhole}
      failure="The item could not be stored."
      onSend={put}
      onClose={onClose}
    >
      <div className="sm:col-span-2">
        <ServerField servers={servers} value={server} onChange={setServer} />
      </div>
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

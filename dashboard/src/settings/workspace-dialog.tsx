import type { Workspace } from '@runyard/client'
import { useState } from 'react'
import { TextField } from '../design/field.tsx'
import { FormDialog } from '../design/form-dialog.tsx'
import { createWorkspace, renameWorkspace } from './queries.ts'

/** Names a new workspace, or renames `workspace`. */
export function WorkspaceDialog(props: {
  workspace?: Workspace
  onClose: () => void
  onDone: () => void
}) {
  const { workspace, onClose, onDone } = props
  const [name, setName] = useState(workspace?.name ?? '')
  const send = async () => {
    await (workspace ? renameWorkspace(workspace.id, name.trim()) : createWorkspace(name.trim()))
    onDone()
  }
  return (
    <FormDialog
      title={workspace ? `Rename ${workspace.name}` : 'New workspace'}
      verb={workspace ? 'Rename' : 'Create the workspace'}
      isDisabled={name.trim() === ''}
      onSend={send}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        autoFocus
        {...(!workspace && {
          help: 'Then create the first key in it: runyard keys create --workspace, or the API.',
        })}
      />
    </FormDialog>
  )
}

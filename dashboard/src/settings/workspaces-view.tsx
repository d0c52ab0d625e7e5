import type { Workspace } from '@runyard/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { sessionQuery } from '../api/session.ts'
import { Button, IconButton } from '../design/button.tsx'
import { TextField } from '../design/field.tsx'
import { ConfirmDialog, FormDialog } from '../design/form-dialog.tsx'
import { Ellipsis, Plus } from '../design/icon.gen.tsx'
import { Menu, MenuItem } from '../design/menu.tsx'
import { QueryView } from '../design/query-view.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Id } from '../design/text/id.tsx'
import { Time } from '../design/text/time.tsx'
import { toast } from '../design/toast.tsx'
import { createWorkspace, deleteWorkspace, renameWorkspace, workspacesQuery } from './queries.ts'

/** The first one is the installation's own. */
const FIRST_ID = '00000000-0000-4000-8000-000000000001'

type Doing = { what: 'create' } | { what: 'rename' | 'delete'; workspace: Workspace }

/** The workspaces of the installation, for users who may run it. */
export function WorkspacesView() {
  const query = useQuery(workspacesQuery())
  const queries = useQueryClient()
  const [doing, setDoing] = useState<Doing>()
  const close = () => setDoing(undefined)
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: workspacesQuery().queryKey })
    await queries.invalidateQueries({ queryKey: sessionQuery().queryKey })
  }
  const leaving = doing?.what === 'delete' ? doing.workspace : undefined
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-prose text-ink-soft">
          Deployments, keys and OAuth tokens belong to a workspace. Other workspaces do not see
          them.
        </p>
        <Button
          kind="primary"
          icon={<Plus size={14} />}
          onPress={() => setDoing({ what: 'create' })}
        >
          New workspace
        </Button>
      </div>
      <QueryView query={query} what="the workspaces">
        {(workspaces) => (
          <Table
            label="Workspaces"
            columns={columnsFor(setDoing)}
            rows={workspaces}
            keyOf={({ id }) => id}
          />
        )}
      </QueryView>
      {doing && doing.what !== 'delete' && (
        <WorkspaceDialog
          {...(doing.what === 'rename' && { workspace: doing.workspace })}
          onClose={close}
          onDone={() => void refresh()}
        />
      )}
      <ConfirmDialog
        title={`Delete ${leaving?.name ?? ''}`}
        verb="Delete the workspace"
        isOpen={leaving !== undefined}
        onClose={close}
        {...(leaving && { name: leaving.name })}
        onConfirm={async () => {
          if (!leaving) return
          await deleteWorkspace(leaving.id)
          await refresh()
          toast(`${leaving.name} is deleted.`)
        }}
      >
        <p>
          Its keys and OAuth tokens are deleted too, and its members can no longer sign in. Its
          deployments have to be deleted before.
        </p>
      </ConfirmDialog>
    </>
  )
}

function columnsFor(begin: (doing: Doing) => void): readonly Column<Workspace>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      isRowHeader: true,
      isWide: true,
      cell: ({ name }) => <span className="font-medium">{name}</span>,
    },
    { id: 'id', header: 'Id', from: 'sm', cell: ({ id }) => <Id id={id} /> },
    { id: 'created', header: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      id: 'actions',
      header: 'Actions',
      align: 'right',
      cell: (workspace) => (
        <Menu
          trigger={
            <IconButton label={`Actions for ${workspace.name}`} icon={<Ellipsis size={16} />} />
          }
        >
          <MenuItem onAction={() => begin({ what: 'rename', workspace })}>Rename</MenuItem>
          <MenuItem
            isDanger
            isDisabled={workspace.id === FIRST_ID}
            onAction={() => begin({ what: 'delete', workspace })}
          >
            Delete
          </MenuItem>
        </Menu>
      ),
    },
  ]
}

/** Names a new workspace, or renames `workspace`. */
function WorkspaceDialog(props: {
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

import { useState } from 'react'
import { IconButton } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { TextField } from '../design/field.tsx'
import { ConfirmDialog, FormDialog } from '../design/form-dialog.tsx'
import { Ellipsis, Pencil, Star, Trash2 } from '../design/icon.gen.tsx'
import { Menu, MenuItem } from '../design/menu.tsx'
import { Badge, Status } from '../design/status.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Time } from '../design/text/time.tsx'
import { toastError } from '../design/toast.tsx'
import { type Account, useVaultAction, vault } from './queries.ts'

export function AccountsTable({ accounts }: { accounts: readonly Account[] }) {
  const [naming, setNaming] = useState<Account>()
  const [deleting, setDeleting] = useState<Account>()
  const action = useVaultAction()
  const columns: readonly Column<Account>[] = [
    {
      id: 'account',
      header: 'Account',
      isRowHeader: true,
      cell: (one) => (
        <span className="inline-flex items-center gap-2">
          <span className="font-medium">{nameOf(one)}</span>
          {one.is_default && <Badge tone="live">Default</Badge>}
        </span>
      ),
    },
    {
      id: 'provider',
      header: 'Provider',
      from: 'sm',
      cell: ({ provider_id }) => <code>{provider_id}</code>,
    },
    {
      id: 'scopes',
      header: 'Scopes',
      isWide: true,
      from: 'md',
      cell: ({ scopes }) => <code title={scopes.join(' ')}>{scopes.join(' ') || '–'}</code>,
    },
    {
      id: 'status',
      header: 'Status',
      cell: ({ status }) => (
        <Status tone={status === 'active' ? 'good' : 'bad'}>
          {status === 'active' ? 'Active' : 'Expired'}
        </Status>
      ),
    },
    {
      id: 'expires',
      header: 'Good until',
      from: 'lg',
      cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : 'No end'),
    },
    {
      id: 'actions',
      header: 'Actions',
      align: 'right',
      cell: (one) => (
        <Menu
          trigger={
            <IconButton label={`Actions for ${nameOf(one)}`} icon={<Ellipsis size={16} />} />
          }
        >
          <MenuItem icon={<Pencil size={14} />} onAction={() => setNaming(one)}>
            Name it
          </MenuItem>
          <MenuItem
            icon={<Star size={14} />}
            isDisabled={one.is_default}
            onAction={() => action.mutate(() => vault.makeDefault(one.id), { onError: toastError })}
          >
            Make it the default
          </MenuItem>
          <MenuItem icon={<Trash2 size={14} />} isDanger onAction={() => setDeleting(one)}>
            Delete
          </MenuItem>
        </Menu>
      ),
    },
  ]
  return (
    <>
      <Table
        label="Your accounts"
        columns={columns}
        rows={accounts}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No accounts are connected">
            When an agent needs an account of yours it asks, or you connect one at a provider above.
          </Empty>
        }
      />
      {naming && <NameDialog account={naming} onClose={() => setNaming(undefined)} />}
      {deleting && (
        <ConfirmDialog
          title={`Delete ${nameOf(deleting)}?`}
          verb="Delete"
          isOpen
          onClose={() => setDeleting(undefined)}
          onConfirm={() => action.mutateAsync(() => vault.deleteAccount(deleting.id))}
        >
          <p>Its token is revoked at the provider. Agents that work with it have to ask again.</p>
        </ConfirmDialog>
      )}
    </>
  )
}

export function nameOf({ provider_account_label, provider_id }: Account): string {
  return provider_account_label ?? `An account at ${provider_id}`
}

function NameDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const [label, setLabel] = useState(account.provider_account_label ?? '')
  const action = useVaultAction()
  return (
    <FormDialog
      title="Name the account"
      verb="Save"
      isDisabled={!label.trim()}
      onSend={() => action.mutateAsync(() => vault.label(account.id, label))}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={label}
        onChange={setLabel}
        autoFocus
        help="Tells it from others of the same provider."
      />
    </FormDialog>
  )
}

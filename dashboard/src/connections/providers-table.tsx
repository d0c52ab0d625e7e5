import { useState } from 'react'
import { Button, IconButton } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { ConfirmDialog } from '../design/form-dialog.tsx'
import { Link2, Trash2 } from '../design/icon.gen.tsx'
import { type Column, Table } from '../design/table.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { type Provider, useVaultAction, vault } from './queries.ts'

interface Row extends Provider {
  isPlatform: boolean
}

export function ProvidersTable(props: {
  own: readonly Provider[]
  platform: readonly Provider[]
  mayWrite: boolean
}) {
  const [deleting, setDeleting] = useState<Row>()
  const [connecting, setConnecting] = useState<Row>()
  const action = useVaultAction()
  const rows: Row[] = [
    ...props.own.map((one) => ({ ...one, isPlatform: false })),
    ...props.platform.map((one) => ({ ...one, isPlatform: true })),
  ]
  const columns: readonly Column<Row>[] = [
    {
      id: 'name',
      header: 'Provider',
      isRowHeader: true,
      cell: ({ name, provider_id }) => (
        <>
          <span className="block font-medium">{name}</span>
          <code className="text-ink-faint">{provider_id}</code>
        </>
      ),
    },
    {
      id: 'host',
      header: 'Signs in at',
      from: 'sm',
      cell: ({ auth_url }) => <code>{hostOf(auth_url)}</code>,
    },
    {
      id: 'client',
      header: 'Client',
      from: 'lg',
      cell: ({ client_id }) => <code>{client_id}</code>,
    },
    { id: 'origin', header: 'From', from: 'md', cell: originOf },
    { id: 'pkce', header: 'PKCE', from: 'lg', cell: ({ uses_pkce }) => (uses_pkce ? 'Yes' : 'No') },
    {
      id: 'actions',
      header: 'Actions',
      align: 'right',
      cell: (row) => (
        <span className="inline-flex items-center gap-1">
          <Button size="sm" icon={<Link2 size={14} />} onPress={() => setConnecting(row)}>
            Connect
          </Button>
          {props.mayWrite && !row.isPlatform && (
            <IconButton
              label={`Delete ${row.name}`}
              icon={<Trash2 size={14} />}
              onPress={() => setDeleting(row)}
            />
          )}
        </span>
      ),
    },
  ]
  return (
    <>
      <Table
        label="Providers"
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No providers yet">
            A provider is where people give agents access to their accounts by OAuth: GitHub,
            Google, an MCP server.
          </Empty>
        }
      />
      {connecting && (
        <ConnectDialog provider={connecting} onClose={() => setConnecting(undefined)} />
      )}
      {deleting && (
        <ConfirmDialog
          title={`Delete ${deleting.name}?`}
          verb="Delete"
          name={deleting.provider_id}
          isOpen
          onClose={() => setDeleting(undefined)}
          onConfirm={() => action.mutateAsync(() => vault.deleteProvider(deleting.provider_id))}
        >
          <p>
            All tokens of this provider are revoked and deleted with it. Agents that work with them
            have to ask again.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

function originOf({ isPlatform, mcp_server_url, is_dynamic_client }: Row): string {
  if (isPlatform) return 'The operator'
  if (mcp_server_url) return `MCP, ${hostOf(mcp_server_url)}`
  return is_dynamic_client ? 'Registered by itself' : 'This workspace'
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}

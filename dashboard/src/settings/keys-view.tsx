import type { ApiKey } from '@runyard/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { ConfirmDialog } from '../design/form-dialog.tsx'
import { Plus } from '../design/icon.gen.tsx'
import { QueryView } from '../design/query-view.tsx'
import { Status } from '../design/status.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Time } from '../design/text/time.tsx'
import { toast } from '../design/toast.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { keysQuery, revokeKey } from './queries.ts'

/** The installation's own key: it can only be changed on Runyard's machine. */
const ADMIN_KEY_ID = '00000000-0000-4000-8000-000000000002'

/** The keys of this workspace: create, list, revoke. */
export function KeysView() {
  const query = useQuery(keysQuery())
  const queries = useQueryClient()
  const [isMaking, setMaking] = useState(false)
  const [revoking, setRevoking] = useState<ApiKey>()
  const columns = useColumns(setRevoking)
  const refresh = () => queries.invalidateQueries({ queryKey: keysQuery().queryKey })
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <p className="text-ink-soft">
          Programs bring a key as <code>X-Api-Key</code>. Runyard keeps no key, only its hash.
        </p>
        <Button kind="primary" icon={<Plus size={14} />} onPress={() => setMaking(true)}>
          New key
        </Button>
      </div>
      <QueryView query={query} what="the keys">
        {(keys) => (
          <Table
            label="API keys"
            columns={columns}
            rows={keys.toSorted(byUse)}
            keyOf={({ id }) => id}
            empty={<Empty title="There are no keys." />}
          />
        )}
      </QueryView>
      {isMaking && <NewKeyDialog onClose={() => setMaking(false)} onMade={() => void refresh()} />}
      <ConfirmDialog
        title={`Revoke ${revoking?.name ?? ''}`}
        verb="Revoke the key"
        isOpen={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        onConfirm={async () => {
          if (!revoking) return
          await revokeKey(revoking.id)
          await refresh()
          toast(`${revoking.name} is revoked.`)
        }}
      >
        <p>
          Whatever uses this key is refused from now on, browsers that signed in with it are signed
          out, and the OAuth tokens that it holds are revoked and deleted. There is no way back.
        </p>
      </ConfirmDialog>
    </>
  )
}

function useColumns(revoke: (key: ApiKey) => void): readonly Column<ApiKey>[] {
  const me = useSession()?.user_id
  return [
    {
      id: 'name',
      header: 'Name',
      isRowHeader: true,
      isWide: true,
      cell: ({ id, name }) => (
        <>
          <span className="font-medium">{name}</span>
          {id === me && <span className="text-ink-faint"> (you)</span>}
        </>
      ),
    },
    {
      id: 'hint',
      header: 'Begins with',
      from: 'md',
      cell: ({ hint }) => (hint ? <code>{hint}…</code> : <span className="text-ink-faint">–</span>),
    },
    { id: 'role', header: 'Role', cell: ({ role }) => role },
    { id: 'state', header: 'State', from: 'sm', cell: (key) => <State {...key} /> },
    {
      id: 'used',
      header: 'Last used',
      from: 'sm',
      cell: ({ last_used_at }) =>
        last_used_at ? <Time at={last_used_at} /> : <span className="text-ink-faint">Never</span>,
    },
    {
      id: 'created',
      header: 'Created',
      from: 'lg',
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
      id: 'actions',
      header: 'Actions',
      align: 'right',
      cell: (key) =>
        !isOver(key) &&
        key.id !== ADMIN_KEY_ID && (
          <Button
            size="sm"
            kind="danger"
            aria-label={`Revoke ${key.name}`}
            onPress={() => revoke(key)}
          >
            Revoke
          </Button>
        ),
    },
  ]
}

function State({ revoked_at, expires_at }: ApiKey) {
  if (revoked_at) return <Status tone="off">Revoked</Status>
  if (!expires_at) return <Status tone="good">Good</Status>
  if (Date.parse(expires_at) <= Date.now()) return <Status tone="off">Expired</Status>
  return (
    <span className="flex items-center gap-1.5 whitespace-nowrap">
      <Status tone="good">Good</Status>
      <span className="text-ink-faint">
        ends <Time at={expires_at} />
      </span>
    </span>
  )
}

function isOver({ revoked_at, expires_at }: ApiKey): boolean {
  return revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= Date.now())
}

/** Valid keys first, newest first. */
function byUse(a: ApiKey, b: ApiKey): number {
  return Number(isOver(a)) - Number(isOver(b)) || b.created_at.localeCompare(a.created_at)
}

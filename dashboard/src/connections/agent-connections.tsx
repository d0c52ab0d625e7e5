/** The accounts that one agent uses. The application names its agents, mostly by an assistant's id. */
import type { AgentConnectionResponse } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { Button, IconButton } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { ErrorNote } from '../design/error-note.tsx'
import { SelectField, TextField } from '../design/field.tsx'
import { Unlink } from '../design/icon.gen.tsx'
import { QueryView } from '../design/query-view.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Time } from '../design/text/time.tsx'
import { nameOf } from './accounts-table.tsx'
import { type Account, agentQuery, useVaultAction, vault } from './queries.ts'

export function AgentConnections(props: {
  agent: string
  accounts: readonly Account[]
  onAgent: (agent: string) => void
}) {
  const [text, setText] = useState(props.agent)
  return (
    <div className="space-y-3">
      <Form
        className="flex max-w-xl items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          props.onAgent(text.trim())
        }}
      >
        <div className="flex-1">
          <TextField
            label="Agent"
            value={text}
            onChange={setText}
            isMono
            placeholder="The id by which it asks for tokens"
          />
        </div>
        <Button type="submit">Show</Button>
      </Form>
      {props.agent && <Connections {...props} key={props.agent} />}
    </div>
  )
}

function Connections({ agent, accounts }: { agent: string; accounts: readonly Account[] }) {
  const query = useQuery(agentQuery(agent))
  const [account, setAccount] = useState<string>()
  const action = useVaultAction()
  const columns: readonly Column<AgentConnectionResponse>[] = [
    {
      id: 'account',
      header: 'Account',
      isRowHeader: true,
      cell: ({ provider_account_label }) => provider_account_label ?? 'Without a name',
    },
    { id: 'provider', header: 'Provider', cell: ({ provider_id }) => <code>{provider_id}</code> },
    { id: 'when', header: 'Since', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      id: 'actions',
      header: 'Actions',
      align: 'right',
      cell: ({ id }) => (
        <IconButton
          label="End the connection"
          icon={<Unlink size={14} />}
          onPress={() => action.mutate(() => vault.disconnectAgent(agent, id))}
        />
      ),
    },
  ]
  return (
    <QueryView query={query} what="its connections">
      {(connections) => (
        <div className="space-y-3">
          <Table
            label="Connections of the agent"
            columns={columns}
            rows={connections}
            keyOf={({ id }) => id}
            empty={
              <Empty title="It works with no account in particular">
                Of each provider it gets your default account.
              </Empty>
            }
          />
          {accounts.length > 0 && (
            <div className="flex max-w-xl items-end gap-2">
              <div className="flex-1">
                <SelectField
                  label="Connect it to"
                  value={account}
                  onChange={setAccount}
                  choices={accounts.map((one) => ({ value: one.id, label: nameOf(one) }))}
                  placeholder="One of your accounts"
                />
              </div>
              <Button
                isDisabled={!account}
                onPress={() => account && action.mutate(() => vault.connectAgent(agent, account))}
              >
                Connect
              </Button>
            </div>
          )}
          {action.error && <ErrorNote error={action.error} />}
        </div>
      )}
    </QueryView>
  )
}

/** A new provider: by its addresses and a client, or discovered from an MCP server. */
import { useState } from 'react'
import { Checkbox, SelectField, TextField } from '../design/field.tsx'
import { FormDialog } from '../design/form-dialog.tsx'
import { toast } from '../design/toast.tsx'
import { useVaultAction, vault } from './queries.ts'

const WAYS = [
  { value: 'client', label: 'With a client of its own', help: 'Registered at the provider by you' },
  { value: 'mcp', label: 'Found by an MCP server', help: 'A client is registered by itself' },
] as const

const EMPTY = {
  ...{ provider_id: '', name: '', client_id: '', client_secret: '' },
  ...{ auth_url: '', token_url: '', revocation_url: '', mcp_server_url: '' },
}

type Values = typeof EMPTY

export function NewProviderDialog({ onClose }: { onClose: () => void }) {
  const [way, setWay] = useState<'client' | 'mcp'>('client')
  const [values, setValues] = useState(EMPTY)
  const [usesPkce, setPkce] = useState(true)
  const action = useVaultAction()
  const field = (name: keyof Values) => ({
    value: values[name],
    onChange: (value: string) => setValues({ ...values, [name]: value }),
  })
  const { provider_id, name, mcp_server_url, client_id, auth_url, token_url } = values
  const needed =
    way === 'mcp'
      ? [provider_id, name, mcp_server_url]
      : [provider_id, name, client_id, auth_url, token_url]
  const create = async () => {
    await action.mutateAsync(() =>
      way === 'mcp' ? vault.discoverProvider(values) : made(values, usesPkce),
    )
    toast('The provider is there.')
  }
  return (
    <FormDialog
      title="New provider"
      size="wide"
      layout="grid gap-4 sm:grid-cols-2"
      verb="Create"
      isDisabled={needed.some((value) => value.trim() === '')}
      failure="The provider was not created."
      onSend={create}
      onClose={onClose}
    >
      <div className="sm:col-span-2">
        <SelectField label="How" value={way} onChange={setWay} choices={WAYS} />
      </div>
      <TextField label="Name" {...field('name')} placeholder="GitHub" />
      <TextField
        label="Slug"
        {...field('provider_id')}
        isMono
        placeholder="github"
        help="By which agents ask for its tokens."
      />
      {way === 'mcp' ? (
        <div className="sm:col-span-2">
          <TextField
            label="MCP server"
            type="url"
            {...field('mcp_server_url')}
            isMono
            placeholder="https://mcp.example.com/mcp"
          />
        </div>
      ) : (
        <>
          <TextField label="Client id" {...field('client_id')} isMono />
          <TextField
            label="Client secret"
            type="password"
            {...field('client_secret')}
            help="Kept sealed, and never shown again."
          />
          <TextField
            label="Authorization URL"
            type="url"
            {...field('auth_url')}
            isMono
            placeholder="https://github.com/login/oauth/authorize"
          />
          <TextField
            label="Token URL"
            type="url"
            {...field('token_url')}
            isMono
            placeholder="https://github.com/login/oauth/access_token"
          />
          <TextField
            label="Revocation URL"
            type="url"
            {...field('revocation_url')}
            isMono
            help="Where tokens are given back; may be left out."
          />
          <div className="self-center">
            <Checkbox isSelected={usesPkce} onChange={setPkce}>
              With PKCE (S256)
            </Checkbox>
          </div>
        </>
      )}
    </FormDialog>
  )
}

function made(values: Values, usesPkce: boolean) {
  const { mcp_server_url: _, client_secret, revocation_url, ...given } = values
  return vault.createProvider({
    ...given,
    uses_pkce: usesPkce,
    code_challenge_method: 'S256',
    token_endpoint_auth_method: client_secret ? 'client_secret_post' : 'none',
    ...(client_secret && { client_secret }),
    ...(revocation_url && { revocation_url }),
  })
}

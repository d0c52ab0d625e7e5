/** Connects an account of the user; the provider asks for consent in a window of its own. */
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../design/button.tsx'
import { Actions, Dialog } from '../design/dialog.tsx'
import { ErrorNote } from '../design/error-note.tsx'
import { TextField } from '../design/field.tsx'
import { ExternalLink } from '../design/icon.gen.tsx'
import { type Provider, useVaultAction, vault } from './queries.ts'

export function ConnectDialog({ provider, onClose }: { provider: Provider; onClose: () => void }) {
  const [scopes, setScopes] = useState('')
  const [url, setUrl] = useState<string>()
  const action = useVaultAction()
  const ask = async () => {
    const wanted = scopes.split(/[\s,]+/).filter(Boolean)
    await action.mutateAsync(async () => {
      const { url: link } = await vault.connect(provider.provider_id, wanted)
      setUrl(link ?? undefined)
    })
  }
  return (
    <Dialog title={`Connect ${provider.name}`} isOpen onClose={onClose}>
      <Form
        onSubmit={(event) => {
          event.preventDefault()
          void ask().catch(() => {})
        }}
        className="space-y-3"
      >
        <TextField
          label="Scopes"
          value={scopes}
          onChange={setScopes}
          isMono
          placeholder="read:user repo"
          help="What agents may do with the account, as the provider names it; with spaces between."
        />
        {action.error && (
          <ErrorNote error={action.error} title="The account cannot be connected." />
        )}
        {url && (
          <p>
            <a
              href={url}
              target="_blank"
              rel="noreferrer"
              className="inline-flex items-center gap-1.5 text-accent hover:underline"
            >
              Go on at {provider.name} <ExternalLink size={14} aria-hidden="true" />
            </a>{' '}
            When you come back, the account stands here.
          </p>
        )}
        <Actions>
          <Button onPress={onClose}>{url ? 'Done' : 'Cancel'}</Button>
          {!url && (
            <Button type="submit" kind="primary" isPending={action.isPending}>
              Create the link
            </Button>
          )}
        </Actions>
      </Form>
    </Dialog>
  )
}

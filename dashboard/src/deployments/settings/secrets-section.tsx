import { type Deployment, mergedSecrets, type Secret } from '@runyard/client'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { Button, IconButton } from '../../design/button.tsx'
import { Actions, Dialog } from '../../design/dialog.tsx'
import { Empty } from '../../design/empty.tsx'
import { ConfirmDialog } from '../../design/form-dialog.tsx'
import { KeyRound, Trash2 } from '../../design/icon.gen.tsx'
import { Section } from '../../design/page.tsx'
import { SecretsField } from '../new/secrets-field.tsx'
import { usePatch } from './patch.ts'

/** Secrets by name: set, replace, remove. Their values are never shown. */
export function SecretsSection(props: { deployment: Deployment; mayWrite: boolean }) {
  const { deployment, mayWrite } = props
  const { secrets } = deployment
  const [isSetting, setSetting] = useState(false)
  const [removed, setRemoved] = useState<Secret>()
  return (
    <Section
      title="Secrets"
      actions={
        mayWrite && (
          <Button size="sm" icon={<KeyRound size={14} />} onPress={() => setSetting(true)}>
            Set secrets
          </Button>
        )
      }
    >
      {secrets.length === 0 ? (
        <Empty title="No secrets">
          Environment variables of its servers, encrypted at rest and hidden here.
        </Empty>
      ) : (
        <ul
          aria-label="Secrets"
          className="divide-y divide-line rounded-lg border border-line bg-surface"
        >
          {secrets.map((secret) => (
            <li key={secret.name} className="flex items-center justify-between gap-3 px-3 py-1.5">
              <code className="wrap-anywhere">{secret.name}</code>
              <span className="flex items-center gap-2 text-ink-faint">
                <span aria-hidden="true">••••••••</span>
                {mayWrite && (
                  <IconButton
                    label={`Remove ${secret.name}`}
                    icon={<Trash2 size={14} />}
                    onPress={() => setRemoved(secret)}
                  />
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      <SetDialog deployment={deployment} isOpen={isSetting} onClose={() => setSetting(false)} />
      <RemoveDialog
        deployment={deployment}
        secret={removed}
        onClose={() => setRemoved(undefined)}
      />
    </Section>
  )
}

function SetDialog(props: { deployment: Deployment; isOpen: boolean; onClose: () => void }) {
  const { deployment, isOpen } = props
  const [given, setGiven] = useState<Secret[]>([NONE])
  const patch = usePatch(deployment, 'The secrets are set.')
  const named = given.filter(({ name }) => name !== '')
  const known = named.filter(({ name }) => deployment.secrets.some((one) => one.name === name))
  const close = () => {
    setGiven([NONE])
    props.onClose()
  }
  return (
    <Dialog title="Set secrets" isOpen={isOpen} onClose={close} size="wide">
      <Form
        onSubmit={(event) => {
          event.preventDefault()
          patch.mutate({ secrets: mergedSecrets(deployment.secrets, named) }, { onSuccess: close })
        }}
      >
        <SecretsField secrets={given} onChange={setGiven} />
        <p className="mt-3 text-sm text-ink-soft">
          Other secrets stay unchanged.{' '}
          {known.length > 0 && `${known.map(({ name }) => name).join(', ')} are replaced. `}A new
          revision rolls out with them.
        </p>
        <Actions>
          <Button onPress={close}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            isPending={patch.isPending}
            isDisabled={named.length === 0}
          >
            Set
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}

const NONE: Secret = { name: '', value: '' }

function RemoveDialog(props: {
  deployment: Deployment
  secret: Secret | undefined
  onClose: () => void
}) {
  const { deployment, secret, onClose } = props
  const patch = usePatch(deployment, `${secret?.name} is removed.`)
  return (
    <ConfirmDialog
      title="Remove a secret"
      isOpen={secret !== undefined}
      onClose={onClose}
      verb="Remove"
      onConfirm={() => patch.mutateAsync({ removed_secrets: secret ? [secret.name] : [] })}
    >
      <p>
        A new revision rolls out without <code>{secret?.name}</code>. Older revisions keep it: a
        rollback brings it back.
      </p>
    </ConfirmDialog>
  )
}

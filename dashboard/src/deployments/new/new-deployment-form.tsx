/** The form that makes and sends a new deployment or a next revision. */
import type { Deployment } from '@runyard/client'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../../design/button.tsx'
import { ErrorNote } from '../../design/error-note.tsx'
import { Checkbox, TextField } from '../../design/field.tsx'
import { FormDialog } from '../../design/form-dialog.tsx'
import { Card } from '../../design/page.tsx'
import { Status } from '../../design/status.tsx'
import { bytesText } from '../../design/text/format.ts'
import { Duration } from '../../design/text/time.tsx'
import { type Draft, type From, useDraft } from './draft.ts'
import { SecretsField } from './secrets-field.tsx'
import { useSending } from './sending.ts'
import { SentFilesView } from './sent-files-view.tsx'
import { SettingsForm } from './settings-form.tsx'
import { FolderField, TarballField } from './source-field.tsx'

export function NewDeploymentForm(props: {
  from: From
  deployments: readonly Deployment[]
  /** The deployment that gets a next revision; empty: a new one. */
  givenName: string
}) {
  const { from, deployments, givenName } = props
  const draft = useDraft(from, deployments, givenName)
  const { start, step, error } = useSending(from, draft)
  const [isAsking, setAsking] = useState(false)
  const isNext = draft.existing !== undefined && from !== 'git'
  const isTaken = isNext && givenName === ''
  return (
    <>
      <Form
        className="mb-8 space-y-5"
        onSubmit={(event) => {
          event.preventDefault()
          if (draft.isReady) isTaken ? setAsking(true) : void start()
        }}
      >
        <Source from={from} draft={draft} />
        {draft.readError !== undefined && (
          <ErrorNote error={draft.readError} title="It could not be read." />
        )}
        <Card className="space-y-4">
          <Naming draft={draft} isFixed={givenName !== ''} />
          <Secrets draft={draft} />
          <details>
            <summary className="font-medium">Servers and build</summary>
            <div className="mt-3">
              <SettingsForm
                value={draft.written.settings}
                onChange={(settings) => void draft.changeSettings(settings)}
              />
            </div>
          </details>
        </Card>
        {error !== undefined && <ErrorNote error={error} title="It could not be deployed." />}
        <div className="flex flex-wrap items-center gap-4">
          <Button
            type="submit"
            kind="primary"
            isDisabled={!draft.isReady}
            isPending={step !== undefined}
          >
            {isNext ? `Deploy the next revision of ${draft.name}` : 'Deploy'}
          </Button>
          {step && (
            <Status tone="live">
              {step.text} <Duration from={step.since} />
            </Status>
          )}
        </div>
      </Form>
      {isAsking && (
        <FormDialog
          title={`${draft.name} exists already`}
          verb="Deploy the next revision"
          onSend={async () => void start()}
          onClose={() => setAsking(false)}
        >
          <p>
            This source replaces the one that {draft.name} has: it becomes the next revision, and
            serves when it is healthy. For a deployment of its own, cancel and choose another name.
          </p>
        </FormDialog>
      )}
    </>
  )
}

function Source({ from, draft }: { from: From; draft: Draft }) {
  const { folder, tarball, takeFolder, takeTarball, refuse } = draft
  const taking = { onFolder: (one: Parameters<typeof takeFolder>[0]) => void takeFolder(one) }
  switch (from) {
    case 'git':
      return <Repository draft={draft} />
    case 'folder':
      return (
        <div>
          <FolderField {...taking} onWrong={refuse} />
          {folder && <SentFilesView {...folder} />}
        </div>
      )
    case 'tarball':
      return (
        <TarballField onTarball={takeTarball} onWrong={refuse}>
          {tarball && (
            <span className="font-medium text-ink">
              {`${tarball.name}, ${bytesText(tarball.size)}`}
            </span>
          )}
        </TarballField>
      )
  }
}

function Repository({ draft: { written, change } }: { draft: Draft }) {
  return (
    <Card className="grid gap-4 sm:grid-cols-[2fr_1fr]">
      <TextField
        label="Repository"
        value={written.url}
        onChange={(url) => change({ url })}
        placeholder="https://github.com/acme/agent.git"
        help="https://, ssh:// or git@host:path. A private one by ssh takes its key from the secret RUNYARD_DEPLOY_KEY."
        isMono
      />
      <TextField
        label="Branch, tag or commit"
        value={written.ref}
        onChange={(ref) => change({ ref })}
        placeholder="the default branch"
        isMono
      />
      <Checkbox
        isSelected={written.isBuiltOnPush}
        onChange={(isBuiltOnPush) => change({ isBuiltOnPush })}
      >
        Create a revision of each push
      </Checkbox>
      {written.isBuiltOnPush && (
        <p className="mt-1 text-sm text-ink-soft">
          Your git host tells of a push by a webhook: make it in the deployment’s settings.
        </p>
      )}
    </Card>
  )
}

function Naming({ draft, isFixed }: { draft: Draft; isFixed: boolean }) {
  const { name, problem, written, change } = draft
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Name"
        value={name}
        onChange={(text) => change({ name: text })}
        isDisabled={isFixed}
        help={nameHelp(draft)}
        {...(problem && { error: problem })}
      />
      <TextField
        label="Configuration"
        value={written.configPath}
        onChange={(configPath) => change({ configPath })}
        help="Path to langgraph.json."
        isMono
      />
    </div>
  )
}

function nameHelp({ name, existing, isRepeatedGit }: Draft): string {
  if (isRepeatedGit) return `${name} is there already: take another name, or deploy from its page.`
  if (existing) return `${name} exists: this becomes its next revision.`
  return name ? `Its address: ${location.origin}/agents/${name}` : 'Part of its address.'
}

function Secrets({ draft: { written, change, existing } }: { draft: Draft }) {
  return (
    <div>
      <h2 className="mb-1 font-medium">Secrets</h2>
      <p className="mb-2 text-sm text-ink-soft">
        Environment variables, encrypted at rest and hidden here.
        {existing && ' They are set beside those that it has.'}
      </p>
      <SecretsField secrets={written.secrets} onChange={(secrets) => change({ secrets })} />
    </div>
  )
}

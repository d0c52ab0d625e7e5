import type { Deployment, DeploymentWebhook, WebhookTest } from '@runyard/client'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { askAgent } from '../../api/agent-request.ts'
import { agentServer } from '../../api/agent-server.tsx'
import { Button, IconButton } from '../../design/button.tsx'
import { Empty } from '../../design/empty.tsx'
import { ErrorNote } from '../../design/error-note.tsx'
import { SelectField, TextField } from '../../design/field.tsx'
import { ConfirmDialog, FormDialog } from '../../design/form-dialog.tsx'
import { Plus, Send, Trash2 } from '../../design/icon.gen.tsx'
import { Section } from '../../design/page.tsx'
import { Status } from '../../design/status.tsx'
import { Elapsed, Time } from '../../design/text/time.tsx'
import { Talks } from '../../shell/talks.tsx'
import { usePatch } from './patch.ts'

/** As the server's own limit. */
const MOST = 10

const EVENTS = { all: 'All ends of runs', failures: 'Only failures' } as const
const CHOICES = (['all', 'failures'] as const).map((value) => ({ value, label: EVENTS[value] }))

/** The webhooks that get the ends of all runs: add, remove, send a test. */
export function WebhooksSection(props: { deployment: Deployment; mayWrite: boolean }) {
  const { deployment, mayWrite } = props
  const { webhooks } = deployment.source_config
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<DeploymentWebhook>()
  const remove = usePatch(deployment, 'The webhook is removed.')
  const add = webhooks.length < MOST && (
    <Button size="sm" icon={<Plus size={14} />} onPress={() => setAdding(true)}>
      Add a webhook
    </Button>
  )
  return (
    <Section title="Webhooks" actions={mayWrite && add}>
      {webhooks.length === 0 ? (
        <Empty title="No webhooks">
          A webhook gets the end of every run of this deployment, or only of failed runs.
        </Empty>
      ) : (
        <ul
          aria-label="Webhooks"
          className="divide-y divide-line rounded-lg border border-line bg-surface"
        >
          {webhooks.map((webhook) => (
            <WebhookRow
              key={webhook.url}
              deployment={deployment}
              webhook={webhook}
              onRemove={mayWrite ? () => setRemoved(webhook) : undefined}
            />
          ))}
        </ul>
      )}
      {isAdding && <AddDialog deployment={deployment} onClose={() => setAdding(false)} />}
      <ConfirmDialog
        title="Remove the webhook?"
        isOpen={removed !== undefined}
        onClose={() => setRemoved(undefined)}
        verb="Remove"
        onConfirm={() => {
          const kept = webhooks.filter(({ url }) => url !== removed?.url)
          return remove.mutateAsync({ source_config: { webhooks: kept } })
        }}
      >
        <p className="wrap-anywhere">
          <code>{removed?.url}</code> gets no more messages. A new revision rolls out with the same
          build.
        </p>
      </ConfirmDialog>
    </Section>
  )
}

function WebhookRow(props: {
  deployment: Deployment
  webhook: DeploymentWebhook
  /** Absent for viewers. */
  onRemove: (() => void) | undefined
}) {
  const { deployment, webhook, onRemove } = props
  const { url, events } = webhook
  const test = useMutation({
    mutationFn: () =>
      askAgent<WebhookTest>(agentServer(deployment), 'POST', '/webhooks/test', { url }),
  })
  return (
    <li className="px-3 py-2">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span className="min-w-0">
          <code className="block wrap-anywhere">{url}</code>
          <span className="text-sm text-ink-soft">{EVENTS[events]}</span>
        </span>
        <span className="flex items-center gap-2">
          <Talks>
            <Button
              size="sm"
              icon={<Send size={14} />}
              isPending={test.isPending}
              onPress={() => test.mutate()}
            >
              Send a test
            </Button>
          </Talks>
          {onRemove && (
            <IconButton label={`Remove ${url}`} icon={<Trash2 size={14} />} onPress={onRemove} />
          )}
        </span>
      </div>
      <div role="status">{test.data && <TestResult result={test.data} />}</div>
      {test.error && <ErrorNote title="The test was not sent." error={test.error} />}
    </li>
  )
}

function TestResult({ result }: { result: WebhookTest }) {
  const { error, response_status, duration_ms, sent_at } = result
  return (
    <p className="mt-1 flex flex-wrap items-baseline gap-x-2 text-sm text-ink-soft">
      <Status tone={error === null ? 'good' : 'bad'}>
        {error === null ? `Delivered: ${response_status}` : 'Failed'}
      </Status>
      {error && <span className="wrap-anywhere">{error}</span>}
      <Elapsed ms={duration_ms} />
      <Time at={sent_at} />
    </p>
  )
}

function AddDialog({ deployment, onClose }: { deployment: Deployment; onClose: () => void }) {
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState<DeploymentWebhook['events']>('all')
  const patch = usePatch(deployment, 'The webhook is added.')
  const { webhooks } = deployment.source_config
  const given = url.trim()
  const isTaken = webhooks.some((one) => one.url === given)
  return (
    <FormDialog
      title="Add a webhook"
      verb="Add"
      isDisabled={!URL.canParse(given) || isTaken}
      onSend={() =>
        patch.mutateAsync({ source_config: { webhooks: [...webhooks, { url: given, events }] } })
      }
      onClose={onClose}
    >
      <TextField
        label="URL"
        type="url"
        value={url}
        onChange={setUrl}
        placeholder="https://hooks.example.com/runs"
        help="Messages are signed if RUNYARD_WEBHOOK_SECRET is among the secrets."
        {...(isTaken && { error: 'The deployment has a webhook with this URL.' })}
      />
      <SelectField label="Events" value={events} onChange={setEvents} choices={CHOICES} />
      <p className="text-sm text-ink-soft">A new revision rolls out with the same build.</p>
    </FormDialog>
  )
}

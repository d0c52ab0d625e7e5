import { type Deployment, dataOf, doneBy, type PushWebhook } from '@runyard/client'
import { useState } from 'react'
import { controlPlane } from '../../api/control-plane.ts'
import { Button } from '../../design/button.tsx'
import { ConfirmDialog } from '../../design/form-dialog.tsx'
import { Card, Facts, Section } from '../../design/page.tsx'
import { CopyButton } from '../../design/text/copy-button.tsx'
import { useAction } from '../actions.ts'

/** The webhook URL for a git host, so that a push creates a revision. Its secret is shown once. */
export function PushWebhookSection({ deployment }: { deployment: Deployment }) {
  const { id: deployment_id } = deployment
  const params = { path: { deployment_id } }
  const [made, setMade] = useState<PushWebhook>()
  const [isRemoving, setRemoving] = useState(false)
  const create = useAction({
    deployment_id,
    act: () =>
      dataOf(controlPlane.api.POST('/v2/deployments/{deployment_id}/push-webhook', { params })),
    said: () => 'The webhook is created: its secret is shown this once.',
  })
  const remove = useAction({
    deployment_id,
    act: () =>
      doneBy(controlPlane.api.DELETE('/v2/deployments/{deployment_id}/push-webhook', { params })),
    said: () => 'The webhook is removed.',
  })
  return (
    <Section title="Push webhook">
      <Card className="space-y-3">
        <p className="text-ink-soft">
          GitHub, GitLab, Gitea or Bitbucket call it on each push. A new secret replaces the
          previous one.
          {deployment.source_config.build_on_push !== true &&
            ' “Create a revision of each push” has to be on as well.'}
        </p>
        {made && (
          <Facts
            facts={[
              ['Address', <Copied key="url" text={made.url} />],
              ['Secret', <Copied key="secret" text={made.secret} />],
            ]}
          />
        )}
        <div className="flex flex-wrap gap-2">
          <Button
            isPending={create.isPending}
            onPress={() => create.mutate(undefined, { onSuccess: setMade })}
          >
            Create a new secret
          </Button>
          <Button kind="danger" onPress={() => setRemoving(true)}>
            Remove the webhook
          </Button>
        </div>
      </Card>
      <ConfirmDialog
        title="Remove the push webhook"
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        verb="Remove"
        onConfirm={async () => {
          await remove.mutateAsync()
          setMade(undefined)
        }}
      >
        <p>Pushes create no revisions until you create another one.</p>
      </ConfirmDialog>
    </Section>
  )
}

function Copied({ text }: { text: string }) {
  return (
    <span className="flex items-center gap-1">
      <code className="wrap-anywhere">{text}</code>
      <CopyButton text={text} />
    </span>
  )
}

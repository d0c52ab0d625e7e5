import { type Deployment, dataOf } from '@runyard/client'
import { useState } from 'react'
import { controlPlane } from '../../api/control-plane.ts'
import { Button } from '../../design/button.tsx'
import { ConfirmDialog } from '../../design/form-dialog.tsx'
import { Card, Section } from '../../design/page.tsx'
import { useAction } from '../actions.ts'

/** The key with which its agents request their users' tokens; can be replaced by a new one. */
export function AgentKeySection({ deployment }: { deployment: Deployment }) {
  const { id: deployment_id } = deployment
  const [isAsking, setAsking] = useState(false)
  const rotate = useAction({
    deployment_id,
    act: () =>
      dataOf(
        controlPlane.api.POST('/v2/deployments/{deployment_id}/agent-key/rotate', {
          params: { path: { deployment_id } },
        }),
      ),
    said: (_, { revision_id }) =>
      revision_id
        ? 'The key is rotated. A new revision rolls out with it.'
        : 'The key is rotated. The next revision has it.',
  })
  return (
    <Section title="Agent key">
      <Card className="flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-prose text-ink-soft">
          Its agents use this key to request the OAuth tokens of their users. Rotate it if it may
          have leaked.
        </p>
        <Button onPress={() => setAsking(true)}>Rotate the key</Button>
      </Card>
      <ConfirmDialog
        title="Rotate the agent key"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        verb="Rotate"
        onConfirm={() => rotate.mutateAsync()}
      >
        <p>
          The present key stops working at once. The serving revision is deployed again with a new
          key; until then its agents get no tokens.
        </p>
      </ConfirmDialog>
    </Section>
  )
}

import { type Deployment, doneBy } from '@runyard/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { controlPlane } from '../../api/control-plane.ts'
import { runtimeQuery } from '../../api/deployments.ts'
import { Button } from '../../design/button.tsx'
import { ConfirmDialog } from '../../design/form-dialog.tsx'
import { Card, Section } from '../../design/page.tsx'
import { Mark } from '../../design/status.tsx'
import { useAction } from '../actions.ts'
import { useWaitingThreads } from '../overview/needs-attention.tsx'

/** Deletes a deployment: lists what goes with it, and asks the user to type its name. */
export function DeletionSection({ deployment }: { deployment: Deployment }) {
  const { id: deployment_id, name } = deployment
  const [isAsking, setAsking] = useState(false)
  const navigate = useNavigate()
  const remove = useAction({
    deployment_id,
    act: async () => {
      const params = { path: { deployment_id } }
      await doneBy(controlPlane.api.DELETE('/v2/deployments/{deployment_id}', { params }))
      // Before the data is reloaded: this page's deployment is about to disappear.
      await navigate({ to: '/deployments' })
    },
    said: () => `${name} is being deleted.`,
  })
  return (
    <Section title="Delete">
      <Card className="flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-prose text-ink-soft">
          Its servers stop, and its threads, runs, crons, store, revisions and logs are removed.
        </p>
        <Button kind="danger" onPress={() => setAsking(true)}>
          Delete the deployment
        </Button>
      </Card>
      <ConfirmDialog
        title={`Delete ${name}`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        name={name}
        verb="Delete"
        onConfirm={() => remove.mutateAsync()}
      >
        <p>
          This removes its address, threads with their history, runs, crons, store, OAuth tokens,
          secrets, revisions and logs. It cannot be undone.
        </p>
        <WaitingThreads deployment_id={deployment_id} />
      </ConfirmDialog>
    </Section>
  )
}

function WaitingThreads({ deployment_id }: { deployment_id: string }) {
  const runtime = useQuery(runtimeQuery(deployment_id))
  const count = useWaitingThreads(runtime.data?.state === 'serving').data ?? 0
  if (count === 0) return null
  return (
    <p className="flex items-center gap-2 font-medium">
      <Mark tone="wait" />
      {count === 1 ? '1 thread waits' : `${count} threads wait`} for an answer here.
    </p>
  )
}

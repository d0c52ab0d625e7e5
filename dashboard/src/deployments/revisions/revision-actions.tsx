import { isOver, type Revision } from '@runyard/client'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { CircleStop, History, RotateCw } from '../../design/icon.gen.tsx'
import { Tooltip } from '../../design/tooltip.tsx'
import { useInterrupt, useRedeploy, useRollback } from '../actions.ts'

/** The actions on a revision, depending on its state: stop it, roll back to it, or deploy it again. */
export function RevisionActions(props: {
  deployment_id: string
  revision: Revision
  /** The serving revision. */
  serving: Pick<Revision, 'id' | 'number'> | undefined
}) {
  const { deployment_id, revision, serving } = props
  const interrupt = useInterrupt(deployment_id)
  const rollback = useRollback(deployment_id, serving)
  const redeploy = useRedeploy(deployment_id)
  if (!useMay('write')) return null
  if (!isOver(revision.status)) {
    return (
      <Button
        size="sm"
        icon={<CircleStop size={14} />}
        isPending={interrupt.isPending}
        onPress={() => interrupt.mutate(revision)}
      >
        Interrupt
      </Button>
    )
  }
  if (revision.deployed_at !== null && serving && revision.id !== serving.id) {
    return (
      <Tooltip
        text={`Starts #${revision.number} again as a new revision, from the build that is kept. Its configuration and secrets go back too. Until it is healthy, #${serving.number} serves.`}
      >
        <Button
          size="sm"
          icon={<History size={14} />}
          isPending={rollback.isPending}
          onPress={() => rollback.mutate(revision)}
        >
          {`Roll back to #${revision.number}`}
        </Button>
      </Tooltip>
    )
  }
  return (
    <Button
      size="sm"
      kind="quiet"
      icon={<RotateCw size={14} />}
      isPending={redeploy.isPending}
      onPress={() => redeploy.mutate(revision)}
    >
      Deploy again
    </Button>
  )
}

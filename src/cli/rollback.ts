/** `runyard rollback` */
import type { Command } from 'commander'
import type { Deployment, Revision } from '../../client/src/client.ts'
import { AppError } from '../core/errors.ts'
import { clientCommand, connected, requireDeployment } from './connection.ts'
import { reportRollout } from './rollout-report.ts'

export function rollbackCommand(): Command {
  return clientCommand('rollback', 'deploy an older revision again')
    .argument('<name>', 'the deployment')
    .option('--to <revision>', 'its id or how that begins (default: the one that served before)')
    .option('--no-wait', 'do not wait for the end of the rollout')
    .action(async (name: string, options) =>
      connected(options, async ({ client, isJson }) => {
        const deployment = await requireDeployment(client, name)
        const revisions = await client.listRevisions(deployment.id)
        const target = options.to ? find(revisions, options.to) : before(revisions, deployment)
        const rolledBack = await client.redeployRevision(deployment.id, target.id)
        const latest_revision_id = rolledBack.latest_revision_id ?? target.id
        await reportRollout(client, {
          deployment: { ...rolledBack, latest_revision_id },
          isJson,
          isAwaited: options.wait,
          isBuildShown: false,
        })
      }),
    )
}

function find(revisions: Revision[], id: string): Revision {
  const [found, ...others] = revisions.filter((revision) => revision.id.startsWith(id))
  if (found && others.length === 0) return found
  const what = found ? `Several revisions begin with ${id}` : `There is no revision ${id}`
  throw new AppError('not_found', `${what}: "runyard revisions NAME" lists them.`)
}

/** The newest that was deployed before the one that serves. */
function before(revisions: Revision[], { name, active_revision_id }: Deployment): Revision {
  const place = revisions.findIndex(({ id }) => id === active_revision_id)
  const older = revisions.slice(place + 1).find(({ status }) => status === 'DEPLOYED')
  if (older) return older
  throw new AppError('conflict', `${name} has no older revision that was ever deployed.`)
}

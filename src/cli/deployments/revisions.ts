/** `runyard revisions` and `runyard rollback` */
import type { Command } from 'commander'
import { type ControlPlaneClient, type Deployment, dataOf } from '../../../client/src/client.ts'
import { AppError } from '../../core/errors.ts'
import { clientCommand, connected, requireDeployment } from '../connection.ts'
import { reportRollout } from '../deploy/rollout-report.ts'
import { printJson, printTable, shortTime, tableStatus } from '../terminal/output.ts'

export function revisionsCommand(): Command {
  return clientCommand('revisions', 'list a deployment’s revisions, newest first', [
    ['runyard revisions support', 'which one serves, and why others failed'],
  ])
    .argument('<name>', 'the deployment')
    .action(async (name: string, options) =>
      connected(options, async ({ client, isJson }) => {
        const deployment = await requireDeployment(client, name)
        const revisions = await client.listRevisions(deployment.id)
        if (isJson) return printJson(revisions)
        printTable(
          ['REVISION', 'STATUS', 'SERVING', 'CREATED', 'WHY'],
          revisions.map(({ id, status, created_at, status_message }) => [
            id,
            tableStatus(status),
            id === deployment.active_revision_id ? 'yes' : '',
            shortTime(created_at),
            status_message?.split('\n')[0] ?? '',
          ]),
        )
      }),
    )
}

export function rollbackCommand(): Command {
  return clientCommand('rollback', 'go back to an older revision', [
    ['runyard rollback support', 'to the one that served before'],
    ['runyard rollback support --to 3f2a', 'to the one whose id begins so'],
  ])
    .argument('<name>', 'the deployment')
    .option('--to <revision>', 'its id or how that begins (default: the one that served before)')
    .option('--no-wait', 'do not wait for the end of the rollout')
    .action(async (name: string, options) =>
      connected(options, async ({ client, isJson }) => {
        const deployment = await requireDeployment(client, name)
        const target = options.to ? await findId(client, deployment, options.to) : undefined
        const { id: latest_revision_id } = await dataOf(
          client.api.POST('/v2/deployments/{deployment_id}/rollback', {
            params: { path: { deployment_id: deployment.id } },
            body: target === undefined ? {} : { revision_id: target },
          }),
        )
        await reportRollout(client, {
          deployment: { ...deployment, latest_revision_id },
          isJson,
          isAwaited: options.wait,
          isBuildShown: false,
        })
      }),
    )
}

async function findId(
  client: ControlPlaneClient,
  { id: deployment_id, name }: Deployment,
  beginning: string,
): Promise<string> {
  const revisions = await client.listRevisions(deployment_id)
  const [found, ...others] = revisions.filter(({ id }) => id.startsWith(beginning))
  if (found && others.length === 0) return found.id
  const what = found
    ? `Several revisions begin with ${beginning}`
    : `There is no revision ${beginning}`
  throw new AppError('not_found', `${what}: "runyard revisions ${name}" lists them.`)
}

/** `runyard status` */
import type { Command } from 'commander'
import {
  type ControlPlaneClient,
  type Deployment,
  isOver,
  type Revision,
} from '../../../client/src/client.ts'
import { AppError } from '../../core/errors.ts'
import { clientCommand, connected, requireDeployment } from '../connection.ts'
import { buildLogHint, reportRollout } from '../deploy/rollout-report.ts'
import { printFacts, printJson, printTable, shortTime, tableStatus } from '../terminal/output.ts'

export function statusCommand(): Command {
  return clientCommand('status', 'show the status of all deployments, or details of one', [
    ['runyard status', 'all deployments, those that need somebody first'],
    ['runyard status support', 'one of them: what serves, what is on its way, what failed last'],
    ['runyard status support --watch', 'follow the rollout that is on its way to its end'],
  ])
    .argument('[name]', 'the deployment')
    .option('-w, --watch', 'follow its latest rollout to the end')
    .action(async (name: string | undefined, options, command: Command) =>
      connected(options, async ({ client, isJson }) => {
        if (name === undefined) {
          if (options.watch) command.error('error: --watch needs the name of a deployment.')
          return showAll(client, isJson)
        }
        const deployment = await requireDeployment(client, name)
        if (!options.watch) return showOne(client, deployment, isJson)
        const { latest_revision_id } = deployment
        if (!latest_revision_id) throw new AppError('not_found', `${name} has no revision yet.`)
        await reportRollout(client, {
          deployment: { ...deployment, latest_revision_id },
          isJson,
          isAwaited: true,
          isBuildShown: true,
        })
      }),
    )
}

async function showAll(client: ControlPlaneClient, isJson: boolean): Promise<void> {
  const deployments = await client.listDeployments()
  const sorted = deployments.toSorted((a, b) => urgency(a) - urgency(b))
  if (isJson) return printJson(sorted)
  printTable(
    ['NAME', 'STATUS', 'SERVES', 'UPDATED'],
    sorted.map(({ name, status, active_revision_id, updated_at }) => [
      name,
      tableStatus(status),
      active_revision_id ? 'yes' : 'no',
      shortTime(updated_at),
    ]),
  )
}

/** Deployments that serve nothing come first. */
function urgency({ active_revision_id, status }: Deployment): number {
  if (active_revision_id === null) return 0
  return status === 'READY' ? 2 : 1
}

async function showOne(
  client: ControlPlaneClient,
  deployment: Deployment,
  isJson: boolean,
): Promise<void> {
  const { id, name, status, active_revision_id, latest_revision_id } = deployment
  const [latest, serving] = await Promise.all(
    [latest_revision_id, active_revision_id].map((revision_id) =>
      revision_id ? client.getRevision(id, revision_id) : undefined,
    ),
  )
  if (isJson)
    return printJson({ ...deployment, latest_revision: latest, serving_revision: serving })
  printFacts([
    ['name', name],
    ['status', tableStatus(status)],
    ...addressesOf(deployment, client).map((address) => ['address', address] as const),
    [
      'serving',
      serving ? `${nameOf(serving)}, made ${shortTime(serving.created_at)}` : 'nothing yet',
    ],
    ['latest', latest ? `${nameOf(latest)}, ${tableStatus(latest.status)}` : 'none'],
    ...(latest?.status_message ? [['why', latest.status_message] as const] : []),
  ])
  if (latest && !isOver(latest.status)) {
    console.log(`\nIts rollout is on its way: "runyard status ${name} --watch" follows it.`)
  }
  if (latest?.status === 'BUILD_FAILED') console.log(`\n${buildLogHint(name)}`)
}

function nameOf({ number, id }: Revision): string {
  return `#${number} (${id})`
}

/** Each address works for every call. A listener's deployment has one once it serves. */
function addressesOf({ name, addresses }: Deployment, { url }: ControlPlaneClient): string[] {
  return addresses.length > 0 ? addresses : [`${url}/agents/${name}`]
}

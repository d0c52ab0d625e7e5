/** `runyard deployments` and `runyard delete` */

import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import {
  type ControlPlaneClient,
  ControlPlaneError,
  type Deployment,
} from '../../../client/src/client.ts'
import { clientCommand, connected, requireDeployment } from '../connection.ts'
import { printJson, printTable, say, shortTime, tableStatus } from '../terminal/output.ts'

export function deploymentsCommand(): Command {
  return clientCommand('deployments', 'list the deployments', [
    ['runyard deployments --json | jq -r ".[].name"', 'their names alone'],
  ]).action(async (options) =>
    connected(options, async ({ client, isJson }) => {
      const deployments = await client.listDeployments()
      if (isJson) return printJson(deployments)
      const serving = await servingNumbers(client, deployments)
      printTable(
        ['NAME', 'STATUS', 'SERVING', 'CREATED', 'URL'],
        deployments.map(({ id, name, status, created_at, source_config }) => [
          name,
          tableStatus(status),
          serving.get(id) ?? '-',
          shortTime(created_at),
          source_config.custom_url ?? '-',
        ]),
      )
    }),
  )
}

/** How many revisions are read at once. */
const AT_ONCE = 8

/** The number of the serving revision, as `#3`, by the id of the deployment; no entry where none serves. */
async function servingNumbers(
  client: ControlPlaneClient,
  deployments: Deployment[],
): Promise<Map<string, string>> {
  const numbers = new Map<string, string>()
  const left = deployments.values()
  const read = async () => {
    for (const { id, active_revision_id } of left) {
      if (active_revision_id === null) continue
      const revision = await client.getRevision(id, active_revision_id).catch(noneIfNotFound)
      if (revision) numbers.set(id, `#${revision.number}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, read))
  return numbers
}

/** A deployment may be deleted after the list was read. */
function noneIfNotFound(error: unknown): undefined {
  if (!(error instanceof ControlPlaneError) || error.status !== 404) throw error
}

const POLL_MS = 200

export function deleteCommand(): Command {
  return clientCommand('delete', 'delete a deployment with all that its agents have kept', [
    ['runyard delete support', 'its threads, runs and items go with it'],
  ])
    .argument('<name>', 'the deployment')
    .option('--no-wait', 'do not wait until all of it is gone')
    .action(async (name: string, options) =>
      connected(options, async ({ client, isJson }) => {
        const { id } = await requireDeployment(client, name)
        await client.api.DELETE('/v2/deployments/{deployment_id}', {
          params: { path: { deployment_id: id } },
        })
        say(`Deployment ${name} is being deleted.`)
        const isStillThere = async () => (await client.findDeployment(name))?.id === id
        while (options.wait && (await isStillThere())) await delay(POLL_MS)
        if (isJson) printJson({ id, name, is_gone: options.wait })
        else if (options.wait) say('It is gone.')
      }),
    )
}

/** `runyard deployments` and `runyard delete` */

import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { clientCommand, connected, requireDeployment } from '../connection.ts'
import { printJson, printTable, say, shortTime, tableStatus } from '../terminal/output.ts'

export function deploymentsCommand(): Command {
  return clientCommand('deployments', 'list the deployments', [
    ['runyard deployments --json | jq -r ".[].name"', 'their names alone'],
  ]).action(async (options) =>
    connected(options, async ({ client, isJson }) => {
      const deployments = await client.listDeployments()
      if (isJson) return printJson(deployments)
      printTable(
        ['NAME', 'STATUS', 'SERVING', 'CREATED', 'URL'],
        deployments.map(({ name, status, active_revision_id, created_at, source_config }) => [
          name,
          tableStatus(status),
          active_revision_id ?? '-',
          shortTime(created_at),
          source_config.custom_url ?? '-',
        ]),
      )
    }),
  )
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

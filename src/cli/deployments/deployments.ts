/** `runyard deployments` */
import type { Command } from 'commander'
import { clientCommand, connected } from '../connection.ts'
import { printJson, printTable, shortTime, tableStatus } from '../terminal/output.ts'

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

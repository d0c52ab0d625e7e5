/** `runyard revisions` */
import type { Command } from 'commander'
import { clientCommand, connected, requireDeployment } from '../connection.ts'
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

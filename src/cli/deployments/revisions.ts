/** `runyard revisions` and `runyard rollback` */
import { Command } from 'commander'
import { dataOf, type Revision } from '../../../client/src/client.ts'
import { clientCommand, connected, requireDeployment } from '../connection.ts'
import { reportRollout } from '../deploy/rollout-report.ts'
import { describeExamples } from '../examples.ts'
import {
  plainText,
  printJson,
  printTable,
  say,
  shortTime,
  tableStatus,
} from '../terminal/output.ts'
import { findRevision, REVISION_FORMS } from './revision-choice.ts'
import { showCommand } from './revision-show.ts'

/** If a deployment is named `show` or `list`, use `revisions list show`. */
export function revisionsCommand(): Command {
  return new Command('revisions')
    .description('a deployment’s revisions: list them, and show what one changed')
    .exitOverride()
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(showCommand())
    .addHelpText(
      'after',
      describeExamples([
        ['runyard revisions support', 'which one serves, and why others failed'],
        ['runyard revisions show support 3', 'what revision #3 changed'],
      ]),
    )
}

/** Why it failed; else its message, or the subject of its commit. */
function aboutText({ status_message, message, commit_subject }: Revision): string {
  const [text = ''] = (status_message ?? message ?? commit_subject ?? '').split('\n')
  return plainText(text)
}

function listCommand(): Command {
  return clientCommand('list', 'list a deployment’s revisions, newest first', [
    ['runyard revisions list support', '"runyard revisions support" does the same'],
  ])
    .argument('<name>', 'the deployment')
    .action(async (name: string, options) =>
      connected(options, async ({ client, isJson }) => {
        const deployment = await requireDeployment(client, name)
        const revisions = await client.listRevisions(deployment.id)
        if (isJson) return printJson(revisions)
        printTable(
          ['REVISION', 'STATUS', 'SERVING', 'CREATED', 'ID', 'ABOUT'],
          revisions.map((revision) => [
            `#${revision.number}`,
            tableStatus(revision.status),
            revision.id === deployment.active_revision_id ? 'yes' : '',
            shortTime(revision.created_at),
            revision.id,
            aboutText(revision),
          ]),
        )
      }),
    )
}

export function rollbackCommand(): Command {
  return clientCommand(
    'rollback',
    'go back to an older revision, with its configuration and secrets',
    [
      ['runyard rollback support', 'to the one that served before'],
      ['runyard rollback support --to 3', 'to revision #3'],
    ],
  )
    .argument('<name>', 'the deployment')
    .option('--to <revision>', `${REVISION_FORMS} (default: the one that served before)`)
    .option('--no-wait', 'do not wait for the end of the rollout')
    .action(async (name: string, options) =>
      connected(options, async ({ client, isJson }) => {
        const deployment = await requireDeployment(client, name)
        const target = options.to ? await findRevision(client, deployment, options.to) : undefined
        const made = await dataOf(
          client.api.POST('/v2/deployments/{deployment_id}/rollback', {
            params: { path: { deployment_id: deployment.id } },
            body: target ? { revision_id: target.id } : {},
          }),
        )
        const where = target ? ` to #${target.number}` : ''
        say(`Going back${where}: the configuration and the secrets go back too.`)
        await reportRollout(client, {
          deployment: { ...deployment, latest_revision_id: made.id },
          made,
          isJson,
          isAwaited: options.wait,
          isBuildShown: false,
        })
      }),
    )
}

/** `runyard revisions` and `runyard rollback` */
import { Command } from 'commander'
import { dataOf, type Revision, type RevisionHistoryEntry } from '../../../client/src/client.ts'
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

/** Why it failed; else its message, the revision that it repeats, the subject of its commit, or its changes. */
function aboutText(
  { status_message, message, commit_subject }: Revision,
  entry: RevisionHistoryEntry | undefined,
): string {
  const origin = entry ? originText(entry) : ''
  const ofCommit = entry?.repeats ? origin : (commit_subject ?? origin)
  const [text = ''] = (status_message ?? message ?? ofCommit).split('\n')
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
        const history = await client.listRevisionHistory(deployment.id)
        const entries = new Map(history.map((entry) => [entry.revision_id, entry]))
        printTable(
          ['REVISION', 'STATUS', 'SERVING', 'CREATED', 'ID', 'ABOUT'],
          revisions.map((revision) => [
            `#${revision.number}`,
            tableStatus(revision.status),
            revision.id === deployment.active_revision_id ? 'yes' : '',
            shortTime(revision.created_at),
            revision.id,
            aboutText(revision, entries.get(revision.id)),
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
        // Only for the sentence: the rollback goes on if the control plane restarts just now.
        const history = await client.listRevisionHistory(deployment.id).catch(() => [])
        const number = history.find(({ revision_id }) => revision_id === made.id)?.repeats
        const where = number ? ` to #${number}` : ''
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

/** `back to #1`, `changed secrets`; empty: the revision has another source, or is the first. */
function originText({ made_for, repeats, changes }: RevisionHistoryEntry): string {
  if (made_for === 'redeploy') return `#${repeats} deployed again`
  if (made_for === 'agent_key') return `#${repeats} with another agent key`
  if (repeats !== null) return `back to #${repeats}`
  const fields = changes?.fields.map(({ name }) => name) ?? []
  const hasSecrets = Object.values(changes?.secrets ?? {}).some((names) => names.length > 0)
  // An upload has another path each time.
  const names = fields.filter((name) => name !== 'source_tarball_path')
  if (hasSecrets) names.push('secrets')
  return names.length > 0 ? `changed ${names.join(', ')}` : ''
}

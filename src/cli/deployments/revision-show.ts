/** `runyard revisions show` */
import type { Command } from 'commander'
import {
  type ControlPlaneClient,
  type Deployment,
  dataOf,
  type FileChange,
  type Revision,
  type RevisionComparison,
} from '../../../client/src/client.ts'
import { AppError } from '../../core/errors.ts'
import { clientCommand, connected, requireDeployment } from '../connection.ts'
import { plainText, printFacts, printJson, shortTime, tableStatus } from '../terminal/output.ts'
import { style } from '../terminal/style.ts'
import { findRevision, REVISION_FORMS } from './revision-choice.ts'

export function showCommand(): Command {
  return clientCommand('show', 'show one revision, and what it changed', [
    ['runyard revisions show support', 'the latest one'],
    ['runyard revisions show support 3 --diff', 'what #3 changed, line by line'],
  ])
    .argument('<name>', 'the deployment')
    .argument('[revision]', `${REVISION_FORMS} (default: the latest one)`)
    .option('--diff', 'with the changed lines of each file')
    .action(async (name: string, wanted: string | undefined, options) =>
      connected(options, async ({ client, isJson }) => {
        const deployment = await requireDeployment(client, name)
        const revision = wanted
          ? await findRevision(client, deployment, wanted)
          : await latestOf(client, deployment)
        const params = { path: { deployment_id: deployment.id, revision_id: revision.id } }
        const path = '/v2/deployments/{deployment_id}/revisions/{revision_id}/changes'
        const comparison = await dataOf(client.api.GET(path, { params }))
        if (isJson) return printJson({ ...revision, comparison })
        printRevision(deployment, revision)
        printComparison(comparison, { isDiff: options.diff === true })
      }),
    )
}

async function latestOf(client: ControlPlaneClient, deployment: Deployment): Promise<Revision> {
  const { id, name, latest_revision_id } = deployment
  if (latest_revision_id) return client.getRevision(id, latest_revision_id)
  throw new AppError('not_found', `${name} has no revision yet.`)
}

function printRevision({ active_revision_id }: Deployment, revision: Revision): void {
  const { id, number, status, created_at, message, status_message } = revision
  const { commit_author, commit_subject, source_revision_config } = revision
  const { repo_commit_sha, image_digest } = source_revision_config
  const commit = [
    repo_commit_sha?.slice(0, 12),
    commit_subject,
    commit_author && `(${commit_author})`,
  ]
  const isServing = id === active_revision_id
  printFacts(
    [
      ['revision', `#${number} (${id})`],
      ['status', `${tableStatus(status)}${isServing ? ', serving' : ''}`],
      ['made', shortTime(created_at)],
      ['message', plainText(message ?? '')],
      ['commit', plainText(commit.filter(Boolean).join(' '))],
      ['image', image_digest ?? ''],
      ['why', plainText(status_message ?? '')],
    ].filter((fact): fact is [string, string] => fact[1] !== ''),
  )
}

const SIGNS = { added: '+', changed: '~', removed: '-' } as const

function printComparison(
  { changes, source }: RevisionComparison,
  { isDiff }: { isDiff: boolean },
): void {
  if (!changes || !source) {
    console.log('\nIt is the first revision.')
    return
  }
  console.log(`\n${style('dim', `Changed since #${changes.since}`)}`)
  // Its files say more than the name of an upload.
  const fields = changes.fields.filter(({ name }) => name !== 'source_tarball_path')
  for (const { name, before, after } of fields) {
    console.log(`~ ${name}: ${valueText(before)} → ${valueText(after)}`)
  }
  for (const kind of ['added', 'changed', 'removed'] as const) {
    for (const name of changes.secrets[kind]) console.log(`${SIGNS[kind]} secret ${name}`)
  }
  for (const { lock_file, name, before, after } of source.packages) {
    const versions = `${before.join(', ') || 'none'} → ${after.join(', ') || 'none'}`
    console.log(plainText(`~ ${lock_file}: ${name} ${versions}`))
  }
  for (const file of source.files) {
    console.log(plainText(`${SIGNS[file.kind]} ${file.path}${linesText(file)}`))
    if (isDiff && file.patch) console.log(plainText(file.patch.replaceAll(/^/gm, '    ')))
  }
  if (source.left_out > 0) console.log(`… and ${source.left_out} more`)
  if (source.state !== 'compared') console.log(SOURCE_WORDS[source.state])
}

const SOURCE_WORDS = {
  same: 'The source is the same.',
  image: 'It is an image: only digests are compared.',
  unknown:
    'The source is not compared: it was not kept, is not fetched yet, or has too many files.',
} as const

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'not set'
  return plainText(typeof value === 'string' ? value : JSON.stringify(value))
}

function linesText({ added, removed }: FileChange): string {
  return added === null || removed === null ? '' : ` (+${added} -${removed})`
}

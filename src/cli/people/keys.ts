/** `runyard keys` */
import { Command, InvalidArgumentError, Option } from 'commander'
import { type ApiKey, dataOf, everyPage, type Role } from '../../../client/src/client.ts'
import { AppError } from '../../core/errors.ts'
import { ROLES } from '../../core/people/api-key.ts'
import { clientCommand, connected } from '../connection.ts'
import { describeExamples } from '../examples.ts'
import { printJson, printTable, say, shortTime } from '../terminal/output.ts'

const ID_FORM = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const UNITS_MS = { h: 3_600_000, d: 86_400_000 }

export function keysCommand(): Command {
  return new Command('keys')
    .description('API keys: make, list and revoke them')
    .exitOverride()
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
    .addHelpText(
      'after',
      describeExamples([
        ['KEY=$(runyard keys create --name ci --role developer)', 'for a pipeline that deploys'],
        ['runyard keys list', 'who has one'],
      ]),
    )
}

function createCommand(): Command {
  return clientCommand('create', 'make a key and print it, this once', [
    ['KEY=$(runyard keys create --name ci --role developer)', 'for a pipeline that deploys'],
    ['runyard keys create --name site --role agent --expires-in 90d', 'to call agents only'],
  ])
    .requiredOption('--name <name>', 'what it is known by')
    .addOption(
      new Option('--role <role>', 'what it may do').choices([...ROLES]).makeOptionMandatory(),
    )
    .option(
      '--expires-in <time>',
      'days or hours, such as 30d or 12h (default: it does not)',
      momentIn,
    )
    .option('--workspace <id>', 'for those who run the installation (default: your own)')
    .action(async (options: Record<string, string>) =>
      connected(options, async ({ client, isJson }) => {
        const { name = '', role, expiresIn, workspace } = options
        const made = await dataOf(
          client.api.POST('/v2/api-keys', {
            body: {
              name,
              role: role as Role,
              ...(expiresIn !== undefined && { expires_at: expiresIn }),
              ...(workspace !== undefined && { workspace_id: workspace }),
            },
          }),
        )
        if (isJson) return printJson(made)
        say(`Key ${made.id} of role ${made.role} in workspace ${made.workspace_id}. Shown once:`)
        console.log(made.key)
      }),
    )
}

function listCommand(): Command {
  return clientCommand('list', 'list the keys, newest first', [
    ['runyard keys list', 'who has one, and when it was used last'],
  ])
    .option('--workspace <id>', 'for those who run the installation (default: your own)')
    .action(async (options: Record<string, string>) =>
      connected(options, async ({ client, isJson }) => {
        const { workspace } = options
        const keys = await everyPage((page) => {
          const query = { ...page, ...(workspace !== undefined && { workspace_id: workspace }) }
          return dataOf(client.api.GET('/v2/api-keys', { params: { query } }))
        })
        if (isJson) return printJson(keys)
        printTable(
          ['ID', 'NAME', 'ROLE', 'BEGINS', 'STATE', 'LAST USED', 'CREATED'],
          keys.map((key) => [
            key.id,
            key.name,
            key.role,
            key.hint ?? '-',
            stateOf(key),
            shortTime(key.last_used_at),
            shortTime(key.created_at),
          ]),
        )
      }),
    )
}

function revokeCommand(): Command {
  return clientCommand('revoke', 'refuse a key from now on', [
    ['runyard keys revoke 5b0c…', 'by the id that "runyard keys list" shows'],
  ])
    .argument('<id>', 'the key’s id, as listed')
    .action(async (id: string, options: Record<string, string>) =>
      connected(options, async ({ client, isJson }) => {
        if (!ID_FORM.test(id)) {
          const how = '"runyard keys list" shows the ids of the existing ones.'
          throw new AppError('not_found', `There is no key ${id}: ${how}`)
        }
        await client.api.DELETE('/v2/api-keys/{api_key_id}', {
          params: { path: { api_key_id: id } },
        })
        if (isJson) printJson({ id, is_revoked: true })
        else say(`Key ${id} is revoked.`)
      }),
    )
}

function stateOf({ revoked_at, expires_at }: ApiKey): string {
  if (revoked_at !== null) return 'revoked'
  if (expires_at === null) return 'valid'
  const isOver = Date.parse(expires_at) <= Date.now()
  return isOver ? 'expired' : `until ${shortTime(expires_at)}`
}

function momentIn(text: string): string {
  const [, count, unit] = /^([1-9]\d{0,4})([hd])$/.exec(text) ?? []
  if (!count) {
    throw new InvalidArgumentError('It must be such as 30d or 12h.')
  }
  const ms = Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS]
  return new Date(Date.now() + ms).toISOString()
}

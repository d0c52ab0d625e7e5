/** `runyard domains` */
import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { type Domain, dataOf } from '../../../client/src/client.ts'
import { AppError } from '../../core/errors.ts'
import { clientCommand, connected, requireDeployment } from '../connection.ts'
import { describeExamples } from '../examples.ts'
import { printJson, printTable, say, shortTime } from '../terminal/output.ts'

const ONE = '/v2/deployments/{deployment_id}/domains/{host}'

/** The state of a host's DNS, as tables show it. */
const DNS_WORDS: Readonly<Record<Domain['dns'], string>> = {
  points_here: 'points here',
  elsewhere: 'elsewhere',
  unresolved: 'unresolved',
  unknown: 'unknown',
}

/** If a deployment has the name of a subcommand, such as `add`, use `domains list add`. */
export function domainsCommand(): Command {
  return new Command('domains')
    .description('a deployment’s own host names: list, add, certify and remove them')
    .exitOverride()
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(addCommand())
    .addCommand(certificateCommand())
    .addCommand(removeCommand())
    .addHelpText(
      'after',
      describeExamples([
        ['runyard domains support', 'which it has, and whether their DNS leads here'],
        ['runyard domains add support agents.example.com', 'it answers there from now on'],
      ]),
    )
}

function listCommand(): Command {
  return clientCommand('list', 'list a deployment’s domains, and where their DNS leads', [
    ['runyard domains list support', '"runyard domains support" does the same'],
  ])
    .argument('<name>', 'the deployment')
    .action(async (name: string, options) =>
      connected(options, async ({ client, isJson }) => {
        const { id: deployment_id } = await requireDeployment(client, name)
        const params = { path: { deployment_id } }
        const listed = await dataOf(
          client.api.GET('/v2/deployments/{deployment_id}/domains', { params }),
        )
        if (isJson) return printJson(listed)
        printTable(
          ['HOST', 'DNS', 'CERTIFICATE', 'ADDED', 'URL'],
          listed.resources.map((domain) => [
            domain.host,
            DNS_WORDS[domain.dns],
            certificateText(domain),
            shortTime(domain.created_at),
            domain.url,
          ]),
        )
      }),
    )
}

function addCommand(): Command {
  return clientCommand('add', 'have a deployment answer at a host name', [
    ['runyard domains add support agents.example.com', 'and lead its DNS here'],
    [
      'runyard domains add support agents.example.com --certificate fullchain.pem --key privkey.pem',
      'where Runyard itself speaks TLS',
    ],
  ])
    .argument('<name>', 'the deployment')
    .argument('<host>', 'the host name')
    .option('--certificate <file>', 'for this host, in PEM, followed by its chain')
    .option('--key <file>', 'the certificate’s private key, in PEM')
    .action(async (name: string, host: string, options, command: Command) => {
      requireBoth(command, options)
      await connected(options, async ({ client, isJson }) => {
        const given = options.certificate && (await readGiven(options))
        const { id: deployment_id } = await requireDeployment(client, name)
        const params = { path: { deployment_id } }
        const added = await dataOf(
          client.api.POST('/v2/deployments/{deployment_id}/domains', {
            params,
            body: { host, ...given },
          }),
        )
        if (isJson) return printJson(added)
        console.log(added.url)
        const listing = client.api.GET('/v2/deployments/{deployment_id}/domains', { params })
        const { points_to } = await dataOf(listing)
        if (added.dns !== 'points_here' && points_to !== null) {
          say(
            `Its DNS has to lead to ${points_to}; "runyard domains ${name}" says whether it does.`,
          )
        }
      })
    })
}

function certificateCommand(): Command {
  return clientCommand('certificate', 'set, renew or remove the certificate of a domain', [
    [
      'runyard domains certificate support agents.example.com --certificate fullchain.pem --key privkey.pem',
      'shown to the next who connects',
    ],
    ['runyard domains certificate support agents.example.com --remove', 'the installation’s again'],
  ])
    .argument('<name>', 'the deployment')
    .argument('<host>', 'the host name')
    .option('--certificate <file>', 'for this host, in PEM, followed by its chain')
    .option('--key <file>', 'the certificate’s private key, in PEM')
    .option('--remove', 'have none any more')
    .action(async (name: string, host: string, options, command: Command) => {
      requireBoth(command, options)
      const { certificate, remove } = options
      if ((certificate !== undefined) === (remove === true)) {
        command.error('error: Say --certificate with --key, or --remove: one of them.')
      }
      await connected(options, async ({ client, isJson }) => {
        const { id: deployment_id } = await requireDeployment(client, name)
        const params = { path: { deployment_id, host } }
        if (remove) {
          await client.api.DELETE(`${ONE}/certificate`, { params })
          if (isJson) printJson({ host, certificate: null })
          else say(`${host} has no certificate of its own any more.`)
          return
        }
        const body = await readGiven(options)
        const set = await dataOf(client.api.PUT(`${ONE}/certificate`, { params, body }))
        if (isJson) printJson(set)
        else say(`The certificate of ${set.host} is valid ${certificateText(set)}.`)
      })
    })
}

function removeCommand(): Command {
  return clientCommand('remove', 'have a deployment answer at a host name no more', [
    ['runyard domains remove support agents.example.com', 'its certificate goes with it'],
  ])
    .argument('<name>', 'the deployment')
    .argument('<host>', 'the host name')
    .action(async (name: string, host: string, options) =>
      connected(options, async ({ client, isJson }) => {
        const { id: deployment_id } = await requireDeployment(client, name)
        await client.api.DELETE(ONE, { params: { path: { deployment_id, host } } })
        if (isJson) printJson({ host, is_removed: true })
        else say(`${name} does not answer at ${host} any more.`)
      }),
    )
}

interface GivenFiles {
  certificate?: string
  key?: string
}

function requireBoth(command: Command, { certificate, key }: GivenFiles): void {
  if ((certificate === undefined) === (key === undefined)) return
  command.error('error: --certificate and --key belong together: name both.')
}

async function readGiven({ certificate = '', key = '' }: GivenFiles) {
  return {
    certificate: await readNamed('--certificate', certificate),
    private_key: await readNamed('--key', key),
  }
}

async function readNamed(option: string, file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause) => {
    throw new AppError('bad_request', `${option}: ${file} cannot be read.`, { cause })
  })
}

function certificateText({ certificate }: Domain): string {
  if (certificate === null) return '-'
  const isOver = Date.parse(certificate.expires_at) <= Date.now()
  return `${isOver ? 'expired' : 'until'} ${shortTime(certificate.expires_at)}`
}

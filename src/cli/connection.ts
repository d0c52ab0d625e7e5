/** How commands find the control plane, and what these commands have in common. */
import { Command } from 'commander'
import {
  ControlPlaneClient,
  ControlPlaneError,
  type Deployment,
  UnreachableError,
} from '../../client/src/client.ts'
import { AppError } from '../core/errors.ts'
import { readClientConfig } from '../settings/config.ts'
import { optionOf } from '../settings/documentation.ts'
import type { Flags } from '../settings/settings.ts'
import { describeExamples, type Example } from './examples.ts'

/** What these commands get in addition to their own options. */
interface Connection {
  client: ControlPlaneClient
  /** Whether to print JSON. */
  isJson: boolean
}

/**
 * Makes a command that talks to a running Runyard, with the options that all of them have. `connected`
 * runs its work.
 */
export function clientCommand(
  name: string,
  description: string,
  examples: readonly Example[],
): Command {
  return new Command(name)
    .description(description)
    .option(...optionOf('RUNYARD_URL', 'commands'))
    .option(...optionOf('RUNYARD_API_KEY', 'commands'))
    .option('--json', 'answer with JSON')
    .addHelpText('after', describeExamples(examples))
    .exitOverride()
}

/** Runs the work of such a command. Explains the problem if it cannot connect. */
export async function connected(
  options: Readonly<Record<string, string | boolean | undefined>>,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  const { url, apiKey } = options as Flags
  const config = readClientConfig({ url, apiKey })
  const client = new ControlPlaneClient(config)
  try {
    await work({ client, isJson: options.json === true })
  } catch (error) {
    throw inPlainWords(error, config)
  }
}

/** Throws `not_found` when the key sees no deployment of this name. */
export async function requireDeployment(
  client: ControlPlaneClient,
  name: string,
): Promise<Deployment> {
  const deployment = await client.findDeployment(name)
  if (deployment) return deployment
  throw new AppError(
    'not_found',
    `There is no deployment ${name} at ${client.url} that this key may see: ` +
      '"runyard deployments" lists the existing ones.',
  )
}

function inPlainWords(error: unknown, { url, keySource }: { url: string; keySource: string }) {
  if (error instanceof UnreachableError) {
    const hint = 'Start one with "runyard up", or say where it is with --url or RUNYARD_URL.'
    return new AppError('unavailable', `${error.message} ${hint}`, { cause: error })
  }
  if (!(error instanceof ControlPlaneError)) return error
  return new AppError('bad_request', `${error.message}${hintOf(error)}`, { cause: error })

  function hintOf({ status, message }: ControlPlaneError): string {
    if (status === 401) return ` The key came from ${keySource}.`
    // The URL has a path, or belongs to another server.
    return /\bNo route\b/.test(message) ? ` Is ${url} the address of a Runyard?` : ''
  }
}

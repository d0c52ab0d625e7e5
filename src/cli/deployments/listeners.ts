/** `runyard listeners` */
import { Command, InvalidArgumentError } from 'commander'
import {
  type ControlPlaneClient,
  dataOf,
  everyPage,
  type Listener,
} from '../../../client/src/client.ts'
import { AppError } from '../../core/errors.ts'
import { clientCommand, connected } from '../connection.ts'
import { describeExamples } from '../examples.ts'
import { printJson, printTable, say, shortTime } from '../terminal/output.ts'

export function listenersCommand(): Command {
  return new Command('listeners')
    .description('listeners, which run deployments in other clusters: make, list and delete them')
    .exitOverride()
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(newKeyCommand())
    .addCommand(revokeKeyCommand())
    .addCommand(deleteCommand())
    .addHelpText(
      'after',
      describeExamples([
        ['runyard listeners create east', 'one for the cluster "east", and its key'],
        ['runyard listeners list', 'when each was last heard from'],
      ]),
    )
}

function createCommand(): Command {
  return clientCommand('create', 'make a listener and print its key, this once', [
    ['runyard listeners create east', 'for deployments in any namespace of that cluster'],
    ['KEY=$(runyard listeners create east --namespaces agents,tests)', 'in these two only'],
  ])
    .argument('<name>', 'what it is known by')
    .option(
      '--namespaces <names>',
      'where its deployments may run, by commas (default: anywhere)',
      namesIn,
    )
    .action(async (name: string, { namespaces, ...options }) =>
      connected(options, async ({ client, isJson }) => {
        const made = await dataOf(
          client.api.POST('/v2/listeners', {
            body: {
              compute_type: 'k8s',
              compute_id: name,
              compute_config: { k8s_namespaces: namespaces ?? null },
            },
          }),
        )
        if (isJson) return printJson(made)
        say(`Listener ${name} has the id ${made.id}. Its key, shown once:`)
        showKey(client, made.key)
      }),
    )
}

function listCommand(): Command {
  return clientCommand('list', 'list the listeners, newest first', [
    ['runyard listeners list', 'which there are, and when each was last heard from'],
  ]).action(async (options) =>
    connected(options, async ({ client, isJson }) => {
      const listeners = await allListeners(client)
      if (isJson) return printJson(listeners)
      printTable(
        ['ID', 'NAME', 'NAMESPACES', 'VERSION', 'LAST HEARD', 'ADDRESS'],
        listeners.map((listener) => [
          listener.id,
          listener.compute_id,
          listener.compute_config.k8s_namespaces?.join(',') ?? 'any',
          listener.version ?? '-',
          shortTime(listener.last_heard_at),
          listener.url ?? '-',
        ]),
      )
    }),
  )
}

function newKeyCommand(): Command {
  return clientCommand('new-key', 'make another key and print it; the one before is refused', [
    ['KEY=$(runyard listeners new-key east)', 'when the key was lost, or seen by others'],
  ])
    .argument('<name>', 'the listener')
    .action(async (name: string, options) =>
      connected(options, async ({ client, isJson }) => {
        const { id } = await requireListener(client, name)
        const params = { path: { listener_id: id } }
        const made = await dataOf(client.api.POST('/v2/listeners/{listener_id}/key', { params }))
        if (isJson) return printJson({ id, ...made })
        say(`Listener ${name} has another key, shown once:`)
        showKey(client, made.key)
      }),
    )
}

function revokeKeyCommand(): Command {
  return clientCommand('revoke-key', 'refuse the listener’s key; what it runs goes on', [
    ['runyard listeners revoke-key east', 'it gets no orders, until it has another key'],
  ])
    .argument('<name>', 'the listener')
    .action(async (name: string, options) =>
      connected(options, async ({ client, isJson }) => {
        const { id } = await requireListener(client, name)
        const params = { path: { listener_id: id } }
        await client.api.DELETE('/v2/listeners/{listener_id}/key', { params })
        if (isJson) printJson({ id, name, is_revoked: true })
        else say(`The key of listener ${name} is revoked.`)
      }),
    )
}

function deleteCommand(): Command {
  return clientCommand('delete', 'delete a listener that runs no deployment', [
    ['runyard listeners delete east', 'once the deployments that it ran are deleted'],
  ])
    .argument('<name>', 'the listener')
    .action(async (name: string, options) =>
      connected(options, async ({ client, isJson }) => {
        const { id } = await requireListener(client, name)
        const params = { path: { listener_id: id } }
        await client.api.DELETE('/v2/listeners/{listener_id}', { params })
        if (isJson) printJson({ id, name, is_gone: true })
        else say(`Listener ${name} is deleted.`)
      }),
    )
}

function namesIn(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  if (!names.includes('')) return names
  throw new InvalidArgumentError('It must be such as agents,tests.')
}

/** The key alone goes to standard output, so that a script can store it and logs do not contain it. */
function showKey({ url }: ControlPlaneClient, key: string): void {
  console.log(key)
  say(
    'Start the listener in its cluster, with RUNYARD_RUNTIME=docker where that is no Kubernetes:\n' +
      `  RUNYARD_API_KEY=ryl_… RUNYARD_RUNTIME=kubernetes runyard listener --url ${url}`,
  )
}

function allListeners(client: ControlPlaneClient): Promise<Listener[]> {
  return everyPage((page) => dataOf(client.api.GET('/v2/listeners', { params: { query: page } })))
}

async function requireListener(client: ControlPlaneClient, name: string): Promise<Listener> {
  const all = await allListeners(client)
  const listener = all.find(({ id, compute_id }) => compute_id === name || id === name)
  if (listener) return listener
  throw new AppError(
    'not_found',
    `There is no listener ${name} at ${client.url}: "runyard listeners list" lists the existing ones.`,
  )
}

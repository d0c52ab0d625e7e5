/** `runyard set` */
import type { Command } from 'commander'
import { type ControlPlaneClient, type Deployment, dataOf } from '../../../client/src/client.ts'
import { clientCommand, connected, requireDeployment } from '../connection.ts'
import { reportRollout } from '../deploy/rollout-report.ts'
import { printJson, say } from '../terminal/output.ts'

/** The options that are members of `resource_spec`. */
const RESOURCES = {
  min: 'min_scale',
  max: 'max_scale',
  cpu: 'cpu',
  cpuLimit: 'cpu_limit',
  memory: 'memory_mb',
  memoryLimit: 'memory_limit_mb',
} as const

export function setCommand(): Command {
  return clientCommand(
    'set',
    'change access, instances and resources of a deployment (no redeploy for access)',
    [
      ['runyard set support --public', 'callers need no key; no revision is made'],
      ['runyard set support --private', 'with a key again'],
      [
        'runyard set support --min 0 --max 4',
        'it sleeps while it is idle, and has up to four instances',
      ],
      ['runyard set support --memory 512 --cpu 0.5', 'what is set aside for each instance'],
    ],
  )
    .argument('<name>', 'the deployment')
    .option('--public', 'callers need no key, and share all its threads')
    .option('--private', 'it is called with a key')
    .option('--min <count>', 'minimum instances; 0: it sleeps while it is idle')
    .option('--max <count>', 'maximum instances')
    .option('--memory <MiB>', 'memory of each instance')
    .option('--memory-limit <MiB>', 'how much it may take at most (default: twice as much)')
    .option('--cpu <count>', 'processors of each instance, such as 0.5')
    .option('--cpu-limit <count>', 'how many it may take at most (default: twice as many)')
    .option('--no-wait', 'do not wait for the end of the rollout that a change of instances makes')
    .action(async (name: string, options, command: Command) => {
      const wish = readWish(options, command)
      await connected(options, async ({ client, isJson }) => {
        const deployment = await requireDeployment(client, name)
        const changed = await change(client, deployment, wish)
        if (wish.resources)
          return report(client, deployment, changed, { isJson, isAwaited: options.wait })
        if (isJson) printJson(changed)
        else say(entranceOf(changed))
      })
    })
}

interface Wish {
  is_public?: boolean
  resources?: Resources
}

function readWish(options: Record<string, unknown>, command: Command): Wish {
  const isPublic = options.public === true
  const isPrivate = options.private === true
  const resources = readResources(options, command)
  const isResized = Object.keys(resources).length > 0
  if (isPublic && isPrivate) command.error('error: Say one of --public and --private.')
  if (!isPublic && !isPrivate && !isResized) {
    command.error('error: Say what to change: --public, --private, --min, --max, --memory, --cpu.')
  }
  return {
    ...((isPublic || isPrivate) && { is_public: isPublic }),
    ...(isResized && { resources }),
  }
}

/** A changed start setting makes a revision; an unchanged one makes none. */
async function report(
  client: ControlPlaneClient,
  before: Deployment,
  changed: Deployment,
  { isJson, isAwaited }: { isJson: boolean; isAwaited: boolean },
): Promise<void> {
  const { latest_revision_id } = changed
  if (latest_revision_id !== null && latest_revision_id !== before.latest_revision_id) {
    const deployment = { ...changed, latest_revision_id }
    return reportRollout(client, { deployment, isJson, isAwaited, isBuildShown: false })
  }
  if (isJson) printJson(changed)
  else say(`${changed.name} has these instances already; no revision is made.`)
}

type Resources = Partial<Record<(typeof RESOURCES)[keyof typeof RESOURCES], number>>

/** The control plane checks the ranges of numbers. */
function readResources(options: Record<string, unknown>, command: Command): Resources {
  const given = Object.entries(RESOURCES).filter(([option]) => options[option] !== undefined)
  return Object.fromEntries(
    given.map(([option, name]) => {
      const text = String(options[option])
      if (!/^\d+(\.\d+)?$/.test(text)) {
        const flag = option.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)
        command.error(`error: --${flag} must be a number, not "${text}".`)
      }
      return [name, Number(text)]
    }),
  )
}

/** A `resource_spec` replaces the old one as a whole, so this sends members without an option as they are. */
function change(
  client: ControlPlaneClient,
  { id: deployment_id, source_config }: Deployment,
  { resources, ...body }: Wish,
): Promise<Deployment> {
  const resource_spec = { ...source_config.resource_spec, ...resources }
  return dataOf(
    client.api.PATCH('/v2/deployments/{deployment_id}', {
      params: { path: { deployment_id } },
      body: { ...body, ...(resources && { source_config: { resource_spec } }) },
    }),
  )
}

function entranceOf({ name, is_public }: Deployment): string {
  if (!is_public) return `${name} is called with a key.`
  return `${name} is public: callers need no key, and share all its threads.`
}

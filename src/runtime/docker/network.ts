/** A network for each deployment, on which its containers reach their database, but no other deployment. */
import type { Engine } from './engine.ts'
import { isAway, isSettled } from './engine.ts'
import { DEPLOYMENT, INSTALLATION } from './labels.ts'

export interface NetworkOwner {
  installation: string
  deployment_id: string
  /** The operator's network for all containers; `undefined`: each deployment has its own. */
  shared: string | undefined
}

function networkName({ installation, deployment_id }: Omit<NetworkOwner, 'shared'>): string {
  return `runyard-${installation.slice(0, 8)}-${deployment_id.slice(0, 8)}`
}

/** Creates the network if it is missing. Returns its name. */
async function ensureNetwork({ docker }: Engine, owner: NetworkOwner): Promise<string> {
  const Name = networkName(owner)
  if (await hasNetwork(docker, Name)) return Name
  const Labels = { [INSTALLATION]: owner.installation, [DEPLOYMENT]: owner.deployment_id }
  // Docker isolates networks by itself; podman needs the option.
  const Options = (await isPodman(docker)) ? { isolate: 'true' } : {}
  try {
    await docker.createNetwork({ Name, Driver: 'bridge', Labels, Options, CheckDuplicate: true })
  } catch (error) {
    // Another replica was first.
    if (!isSettled(error)) throw error
  }
  return Name
}

/**
 * Calls `create` with the network's name. If a stop of another revision removes the network just then, tries once more.
 */
export async function withNetwork<T>(
  engine: Engine,
  owner: NetworkOwner,
  create: (network: string) => Promise<T>,
): Promise<T> {
  if (owner.shared !== undefined) return create(owner.shared)
  const name = await ensureNetwork(engine, owner)
  try {
    return await create(name)
  } catch (error) {
    if (isAway(error) || (await hasNetwork(engine.docker, name))) throw error
    return create(await ensureNetwork(engine, owner))
  }
}

/** Does nothing if a container still uses it, or it is gone. */
export async function removeNetwork(
  { docker }: Engine,
  owner: Omit<NetworkOwner, 'shared'>,
): Promise<void> {
  await docker
    .getNetwork(networkName(owner))
    .remove()
    .catch(() => {})
}

async function hasNetwork(docker: Engine['docker'], name: string): Promise<boolean> {
  const known = await docker.listNetworks({ filters: { name: [name] } })
  return known.some((network) => network.Name === name)
}

async function isPodman(docker: Engine['docker']): Promise<boolean> {
  const { Components = [] } = await docker.version()
  return Components.some(({ Name }) => /podman/i.test(Name))
}

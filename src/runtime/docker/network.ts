/** A network for each deployment, on which its containers reach their database, but no other deployment. */
import type { Engine } from './engine.ts'
import { isAway, isSettled } from './engine.ts'
import { DEPLOYMENT, INSTALLATION } from './labels.ts'

interface NetworkOwner {
  installation: string
  deployment_id: string
}

function networkName({ installation, deployment_id }: NetworkOwner): string {
  return `runyard-${installation.slice(0, 8)}-${deployment_id.slice(0, 8)}`
}

/** Makes it where it is missing. Answers its name. */
async function ensureNetwork({ docker }: Engine, owner: NetworkOwner): Promise<string> {
  const Name = networkName(owner)
  if (await hasNetwork(docker, Name)) return Name
  const Labels = { [INSTALLATION]: owner.installation, [DEPLOYMENT]: owner.deployment_id }
  // Docker keeps networks apart by itself, podman where it is told to.
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
 * Creates with the name of the network. A stop of another revision may remove it just then: what fails for
 * that is done once more.
 */
export async function withNetwork<T>(
  engine: Engine,
  owner: NetworkOwner,
  create: (network: string) => Promise<T>,
): Promise<T> {
  const name = await ensureNetwork(engine, owner)
  try {
    return await create(name)
  } catch (error) {
    if (isAway(error) || (await hasNetwork(engine.docker, name))) throw error
    return create(await ensureNetwork(engine, owner))
  }
}

/** Does nothing where a container still uses it, or it is gone. */
export async function removeNetwork({ docker }: Engine, owner: NetworkOwner): Promise<void> {
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

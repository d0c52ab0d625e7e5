/**
 * Containers of this installation that another process has left: of agent servers, taken over or removed; of builds,
 * removed.
 */
import type Docker from 'dockerode'
import type { Log } from '../../core/log.ts'
import { type Engine, isSettled, whenThere } from './engine.ts'
import { BUILD, DEPLOYMENT, INSTALLATION, REPLICA, REVISION, THIS_PROCESS } from './labels.ts'
import { removeNetwork } from './network.ts'

export interface FoundContainer {
  id: string
  deployment_id: string
  revision_id: string
  replica: string
}

/** When a container that was not taken over is an orphan, in ms after all were found and could be taken over. */
const ORPHAN_MS = 120_000

interface FoundOptions {
  installation: string
  /** Before that no container can be taken over. */
  ordered: Promise<void>
  log: Log
}

export class FoundContainers {
  readonly #engine: Engine
  readonly #options: FoundOptions
  readonly #closing = new AbortController()
  readonly #found: FoundContainer[] = []
  /** Resolves when all are known, or it was stopped. Waits for an engine that is away. */
  readonly listed: Promise<void>
  #timer: NodeJS.Timeout | undefined

  /** Looks at once, or when the engine is back. */
  constructor(engine: Engine, options: FoundOptions) {
    this.#engine = engine
    this.#options = options
    this.listed = this.#list().catch((error: unknown) => {
      if (this.#closing.signal.aborted) return
      this.#options.log.error({ err: error }, 'Containers of before cannot be listed.')
    })
  }

  revisionsOf(deployment_id: string): string[] {
    const own = this.#found.filter((one) => one.deployment_id === deployment_id)
    return [...new Set(own.map(({ revision_id }) => revision_id))]
  }

  /** Hands over the revision's containers, in the order of their creation. */
  take(revision_id: string): FoundContainer[] {
    const taken = this.#found.filter((one) => one.revision_id === revision_id)
    for (const one of taken) this.#found.splice(this.#found.indexOf(one), 1)
    return taken
  }

  /** Removes the revision's containers, which end within `graceMs`. */
  async remove(revision_id: string, graceMs: number): Promise<void> {
    await Promise.all(this.take(revision_id).map((one) => this.#end(one, graceMs)))
  }

  async removeAll(graceMs: number): Promise<void> {
    const ids = new Set(this.#found.map(({ revision_id }) => revision_id))
    await Promise.all([...ids].map((id) => this.remove(id, graceMs)))
  }

  stop(): void {
    this.#closing.abort()
    clearTimeout(this.#timer)
  }

  async #list(): Promise<void> {
    const { docker } = this.#engine
    const filters = { label: [`${INSTALLATION}=${this.#options.installation}`] }
    const ask = () => docker.listContainers({ all: true, filters })
    const { signal } = this.#closing
    const found = await whenThere(this.#engine, ask, { signal })
    const all = found.filter(({ Labels }) => !(BUILD in Labels))
    const isLiving = ({ State }: Docker.ContainerInfo) => State === 'running'
    this.#found.push(...all.filter(isLiving).map(describe).reverse())
    // Containers that have ended are of no more use.
    for (const one of all.filter((each) => !isLiving(each))) await this.#remove(one.Id)
    const sweep = () => removeLeftBuilds(this.#engine, this.#options.installation)
    await whenThere(this.#engine, sweep, { signal })
    void this.#options.ordered.then(() => {
      if (signal.aborted) return
      this.#timer = setTimeout(() => void this.#removeOrphans(), ORPHAN_MS).unref()
    })
  }

  async #removeOrphans(): Promise<void> {
    const revisions = [...new Set(this.#found.map(({ revision_id }) => revision_id))]
    if (revisions.length > 0)
      this.#options.log.warn({ revisions }, 'Unwanted containers are removed.')
    await this.removeAll(10_000)
  }

  async #end({ id, deployment_id }: FoundContainer, graceMs: number): Promise<void> {
    const seconds = Math.ceil(graceMs / 1000)
    await this.#engine.patient
      .getContainer(id)
      .stop({ t: seconds })
      .catch(() => {})
    await this.#remove(id)
    const { installation } = this.#options
    await removeNetwork(this.#engine, { installation, deployment_id })
  }

  async #remove(id: string): Promise<void> {
    await this.#engine.docker
      .getContainer(id)
      .remove({ v: true, force: true })
      .catch(() => {})
  }
}

function describe({ Id, Labels }: Docker.ContainerInfo): FoundContainer {
  return {
    id: Id,
    deployment_id: Labels[DEPLOYMENT] ?? '',
    revision_id: Labels[REVISION] ?? '',
    replica: Labels[REPLICA] ?? '',
  }
}

/**
 * Removes containers of builds that another process has begun: those builds begin anew. Called when this process may
 * build: no other one of the installation builds then.
 */
export async function removeLeftBuilds({ docker }: Engine, installation: string): Promise<void> {
  const filters = { label: [`${INSTALLATION}=${installation}`] }
  for (const { Id, Labels } of await docker.listContainers({ all: true, filters })) {
    if (!(BUILD in Labels) || Labels[BUILD] === THIS_PROCESS) continue
    await docker
      .getContainer(Id)
      .remove({ v: true, force: true })
      .catch((error: unknown) => {
        if (!isSettled(error)) throw error
      })
  }
}

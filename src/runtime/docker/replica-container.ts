/** The container of one replica: its image, creation and address. Every step can be repeated. */
import { mkdirSync } from 'node:fs'
import type Docker from 'dockerode'
import { LINK_LABEL } from '../../core/deployment/artifacts/artifact.ts'
import type { RuntimeSpec } from '../../core/deployment/runtime.ts'
import { AppError } from '../../core/errors.ts'
import type { RuntimeParts } from '../runtime-parts.ts'
import { projectHere, startMessage } from '../start-message.ts'
import { containerOptions, PORT } from './container-options.ts'
import {
  type DockerSettings,
  type Engine,
  explain,
  isAway,
  isMissing,
  isRemoved,
} from './engine.ts'
import type { FoundContainers } from './found.ts'
import { DEPLOYMENT, INSTALLATION, REPLICA, REVISION } from './labels.ts'
import { withNetwork } from './network.ts'
import { pulledImage } from './pulled-images.ts'
import { handOver, openStandardInput } from './standard-input.ts'
import { giveTo, OWN_USER, userOf } from './user.ts'

/** How long a replaced container may take to end, in ms. */
const REPLACED_GRACE_MS = 10_000

export interface DockerDriverOptions extends RuntimeParts {
  docker: DockerSettings
}

/** What the parts of one driver share. */
export interface Ground {
  options: DockerDriverOptions
  engine: Engine
  installation: string
  found: FoundContainers
}

interface Replica {
  replica: string
  token: string
  isStandby: boolean
}

export class ReplicaContainer {
  readonly #spec: RuntimeSpec
  readonly #ground: Ground
  readonly #replica: Replica

  constructor(spec: RuntimeSpec, ground: Ground, replica: Replica) {
    this.#spec = spec
    this.#ground = ground
    this.#replica = replica
  }

  /** Throws a sentence when there is no such image. */
  async isLinked(): Promise<boolean> {
    const labels = (await this.#imageThere()).Config?.Labels ?? {}
    return LINK_LABEL in labels
  }

  /** The same for an existing container: its image may be gone by now, or be another one. */
  async wasLinked(id: string): Promise<boolean> {
    const { Config } = await this.#ground.engine.docker.getContainer(id).inspect()
    return LINK_LABEL in Config.Labels
  }

  async find(id: string): Promise<Docker.Container> {
    const container = this.#ground.engine.docker.getContainer(id)
    await container.inspect()
    return container
  }

  /** Creates and starts the container. Leaves nothing if that fails. */
  async create(signal: AbortSignal): Promise<Docker.Container> {
    const { found } = this.#ground
    // If the engine was away at the start, some may have been found since: they would use the same data.
    await found.listed
    await found.remove(this.#spec.revision_id, REPLACED_GRACE_MS)
    signal.throwIfAborted()
    const isLinked = await this.isLinked()
    const container = await this.#createOnly(isLinked)
    try {
      if (isLinked) await this.#startWithSecrets(container)
      else await container.start()
      signal.throwIfAborted()
      return container
    } catch (error) {
      const isGone = await isRemoved(container)
      // A container that ends before it has read everything looks like an engine that is away.
      if ((isAway(error) && !isGone) || signal.aborted) throw error
      throw new AppError('bad_request', `The container could not be started: ${explain(error)}`)
    }
  }

  /** Where the gateway and the link reach it. */
  async urlOf(container: Docker.Container): Promise<string> {
    const { engine } = this.#ground
    const { NetworkSettings, State } = await container.inspect()
    const published = NetworkSettings.Ports?.[`${PORT}/tcp`]?.[0]?.HostPort
    if (published) return `http://${engine.host}:${published}`
    const [network] = Object.values(NetworkSettings.Networks)
    if (network?.IPAddress) return `http://${network.IPAddress}:${PORT}`
    // It has ended already; the wait for its end reports how.
    if (!State.Running) return `http://127.0.0.1:${PORT}`
    throw new Error('The container has no address on its network.')
  }

  get #image(): string {
    const { artifact } = this.#spec
    if (artifact.image_uri !== undefined) return artifact.image_uri
    return this.#builtImage ?? this.#ground.options.docker.image
  }

  /** The project's own image, which only this engine has. */
  get #builtImage(): string | undefined {
    const { artifact } = this.#spec
    return artifact.kind === 'folder' ? artifact.image : undefined
  }

  /** The operator builds Runyard's own image; an image that a revision names with a digest comes from its registry. */
  async #imageThere(): Promise<Docker.ImageInspectInfo> {
    const { engine, installation, options } = this.#ground
    const { artifact, revision_id, pullLogin: login } = this.#spec
    if (artifact.image_uri !== undefined) {
      const { pullMs } = options.docker
      const terms = { login, pullMs, installation, revision_id }
      return pulledImage(engine, artifact.image_uri, terms)
    }
    try {
      return await engine.docker.getImage(this.#image).inspect()
    } catch (error) {
      if (!isMissing(error)) throw error
      const what = this.#builtImage
        ? 'no longer has the image that was built for this revision. Deploy it again'
        : `has no image ${this.#image}. Build it with deploy/Dockerfile, or name another one with RUNYARD_IMAGE`
      throw new AppError('bad_request', `The container engine at ${engine.address} ${what}.`)
    }
  }

  async #createOnly(isLinked: boolean): Promise<Docker.Container> {
    const { options, engine, installation } = this.#ground
    const { artifact, deployment_id, deployment_name, revision_id } = this.#spec
    const { resource_spec, secrets } = this.#spec
    const { replica } = this.#replica
    const { network: shared } = options.docker
    const project = artifact.kind === 'folder' ? options.locate(artifact) : undefined
    const isOnDisk = isLinked && !(await options.databaseUrl?.(deployment_id))
    const dataDir = isOnDisk ? this.#dataDir() : undefined
    if ((project || dataDir) && !engine.isLocal) {
      const why = `The container engine at ${engine.address} is on another machine, where folders of this one cannot be mounted.`
      throw new AppError('bad_request', `${why} Deploy an image, and keep data in PostgreSQL.`)
    }
    const user = isLinked ? userOf(options.docker) : undefined
    if (dataDir !== undefined && user === OWN_USER) giveTo(dataDir, OWN_USER)
    const name = `runyard-${deployment_name}-${revision_id.slice(0, 8)}-${replica.slice(0, 8)}`
    const labels = {
      [INSTALLATION]: installation,
      [DEPLOYMENT]: deployment_id,
      [REVISION]: revision_id,
      [REPLICA]: replica,
    }
    const createOn = (network: string) =>
      engine.docker.createContainer(
        containerOptions({
          ...{ name, image: this.#image, labels },
          ...{ network, user, resource_spec, project, dataDir, isLinked, secrets },
          env: options.podEnv ?? {},
          publishedOn: shared ? undefined : engine.isLocal ? '127.0.0.1' : '',
        }),
      )
    return withNetwork(engine, { installation, deployment_id, shared }, createOn)
  }

  /** Over standard input, so that no secret lies on a disk, or where `inspect` shows it. */
  async #startWithSecrets(container: Docker.Container): Promise<void> {
    const { options, engine } = this.#ground
    const { artifact } = this.#spec
    const { token: gatewayToken, isStandby } = this.#replica
    const project = artifact.kind === 'folder' ? projectHere(options.locate(artifact)) : undefined
    const message = await startMessage(this.#spec, options, { gatewayToken, isStandby, project })
    const stdin = await openStandardInput(engine, container.id)
    await container.start()
    await handOver(stdin, JSON.stringify(message))
  }

  #dataDir(): string {
    const dir = this.#ground.options.dataDir(this.#spec.deployment_id)
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    return dir
  }
}

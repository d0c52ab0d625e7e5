/** One command of a build, in a container of its own. */
import { randomUUID } from 'node:crypto'
import type Docker from 'dockerode'
import { BuildError } from '../../core/deployment/builds/build.ts'
import type {
  CommandEnd,
  CommandTerms,
  CommandView,
} from '../../core/deployment/builds/project-commands.ts'
import { buildContainerOptions, exportsOf } from './build-options.ts'
import { type Engine, explain, isAway, isMissing, isRemoved, whenThere } from './engine.ts'
import { type NetworkOwner, withNetwork } from './network.ts'
import { followOutput, untilEnded } from './running.ts'
import { handOver, openStandardInput } from './standard-input.ts'

/** What all commands of a build share. */
export interface BuildPlace {
  engine: Engine
  image: string
  owner: NetworkOwner
  labels: Readonly<Record<string, string>>
  /** `UID:GID` */
  user: string
  cpus: number
  /** Files of the operator that every command reads. */
  files: readonly string[]
}

type Command = readonly [string, ...string[]]

const MAX_CAPTURED_BYTES = 16 * 1024 * 1024
const REMOVAL_MS = 60_000
/** How often a command is run again that ended with its engine. */
const TRIES = 3
const KILLED = 137

/**
 * As `ProjectCommands.run`. Waits for an engine that is away, and reruns a command that ended with it. Throws
 * `BuildError('container')`.
 */
export async function runBuildCommand(
  place: BuildPlace,
  command: Command,
  view: CommandView,
  terms: CommandTerms,
): Promise<CommandEnd> {
  await terms.inputEnds
  for (let tries = 1; ; tries++) {
    const run = new BuildCommand(place, terms)
    const end = await run.toItsEnd(command, view)
    if (end.code === 0 || end.isTimedOut || !run.wasAway || tries === TRIES) return end
    terms.onLine('The container engine was away meanwhile: this is run again.')
  }
}

class BuildCommand {
  readonly #place: BuildPlace
  readonly #terms: CommandTerms
  readonly #captured: Buffer[] = []
  #capturedBytes = 0
  #isTimedOut = false
  /** Whether the engine was away while it ran. */
  wasAway = false

  constructor(place: BuildPlace, terms: CommandTerms) {
    this.#place = place
    this.#terms = terms
  }

  async toItsEnd(command: Command, view: CommandView): Promise<CommandEnd> {
    const { engine } = this.#place
    const { signal, limitMs, onLine } = this.#terms
    const begin = () => this.#begin(command, view)
    const container = await whenThere(engine, begin, { signal, onAway: onLine })
    const kill = () => this.#kill(container)
    const timer = setTimeout(() => {
      this.#isTimedOut = true
      kill()
    }, limitMs)
    signal.addEventListener('abort', kill)
    try {
      if (signal.aborted) kill()
      const output = this.#follow(container).catch(() => {})
      const state = await this.#untilEnd(container)
      await output
      signal.throwIfAborted()
      return this.#describe(state)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', kill)
      await remove(engine, container)
    }
  }

  /** Creates and starts the container, and passes its environment. Leaves nothing if that fails. */
  async #begin(command: Command, view: CommandView): Promise<Docker.Container> {
    const { engine } = this.#place
    const container = await this.#create(command, view)
    try {
      const stdin = await openStandardInput(engine, container.id)
      await container.start()
      await handOver(stdin, exportsOf(view))
      return container
    } catch (error) {
      const isGone = await isRemoved(container)
      // A container that ends before it has read everything breaks off as well, and would again.
      if (isAway(error) && !isGone) throw error
      throw new BuildError('container', `A container could not be started: ${explain(error)}`)
    }
  }

  async #create(command: Command, view: CommandView): Promise<Docker.Container> {
    const { engine, owner, labels } = this.#place
    const { maxMemoryBytes } = this.#terms
    const name = `runyard-build-${owner.deployment_id.slice(0, 8)}-${randomUUID().slice(0, 8)}`
    const options = await buildContainerOptions(command, view, { ...this.#place, maxMemoryBytes })
    const createOn = (on: string) =>
      engine.docker.createContainer({
        ...{ ...options, name, Labels: { ...labels } },
        HostConfig: { ...options.HostConfig, NetworkMode: on },
      })
    try {
      return await withNetwork(engine, owner, createOn)
    } catch (error) {
      if (isAway(error)) throw error
      throw new BuildError('container', `A container could not be created: ${explain(error)}`)
    }
  }

  /** Tries until the engine accepts it, or the container has ended. */
  #kill(container: Docker.Container): void {
    const { engine } = this.#place
    const end = async () => {
      await container.kill({ signal: 'SIGKILL' })
    }
    whenThere(engine, end, { signal: AbortSignal.timeout(REMOVAL_MS) }).catch(() => {})
  }

  /** Output from while the engine is away is read when it is back. */
  async #follow({ id }: Docker.Container): Promise<void> {
    const { engine } = this.#place
    const { onLine, isCaptured } = this.#terms
    const onChunk = isCaptured ? { onChunk: (chunk: Buffer) => this.#capture(chunk) } : {}
    const container = engine.docker.getContainer(id)
    await followOutput(engine, id, {
      ...{ since: 'begin', onLine, ...onChunk, signal: new AbortController().signal },
      isOver: async (isWhole) => isWhole || !(await this.#look(container)).Running,
    })
  }

  #capture(chunk: Buffer): void {
    this.#capturedBytes += chunk.length
    if (this.#capturedBytes <= MAX_CAPTURED_BYTES) this.#captured.push(chunk)
  }

  async #untilEnd(container: Docker.Container): Promise<State> {
    const { engine } = this.#place
    // A cancelled command is removed by force, and does not wait for an engine that no longer answers.
    const { signal } = this.#terms
    const look = async () => {
      const state = await this.#look(container)
      // The engine may have been away for longer than a kill waits.
      if (state.Running && this.#isTimedOut) this.#kill(container)
      return state
    }
    return untilEnded(engine, container.id, { look, signal })
  }

  /** A container that was removed has ended. */
  async #look(container: Docker.Container): Promise<State> {
    const { signal, onLine } = this.#terms
    const onAway = (sentence: string) => {
      this.wasAway = true
      onLine(sentence)
    }
    try {
      const { State } = await whenThere(this.#place.engine, () => container.inspect(), {
        signal,
        onAway,
      })
      return State
    } catch (error) {
      signal.throwIfAborted()
      if (!isMissing(error)) throw error
      throw new BuildError('container', 'The container of the build was removed by somebody else.')
    }
  }

  #describe({ ExitCode: code, OOMKilled }: State): CommandEnd {
    const isTimedOut = this.#isTimedOut
    // Not every engine says why the kernel has ended a process.
    const isTooLarge = !isTimedOut && (OOMKilled || code === KILLED)
    return { code, isTimedOut, isTooLarge, stdout: Buffer.concat(this.#captured).toString('utf8') }
  }
}

type State = Pick<Docker.ContainerInspectInfo['State'], 'Running' | 'ExitCode' | 'OOMKilled'>

async function remove(engine: Engine, container: Docker.Container): Promise<void> {
  const terms = { signal: AbortSignal.timeout(REMOVAL_MS) }
  await whenThere(engine, () => container.remove({ v: true, force: true }), terms).catch(() => {})
}

/** One agent server in a container: a new one, or one that another driver has left. */
import type Docker from 'dockerode'
import { logMark, notedLine } from '../../core/deployment/log-source.ts'
import type { Endpoint } from '../../core/deployment/runtime.ts'
import type { Log } from '../../core/log.ts'
import { type Conversation, converse, endpointOf } from '../../link/conversation.ts'
import { DriverSocket } from '../../link/driver-socket.ts'
import { isMessage } from '../../link/messages.ts'
import { signalOf } from '../../process/group.ts'
import type { RunningAgent } from '../replicas/running-agent.ts'
import type { LaunchOptions } from '../replicas/supervisor.ts'
import { type Engine, explain, isMissing, whenThere } from './engine.ts'
import { followOutput, untilEnded } from './running.ts'

interface AgentContainerOptions extends LaunchOptions {
  engine: Engine
  token: string
  /** Its limit, for sentences. */
  memoryMb: number
  /** Whether it speaks the link; otherwise it is healthy when it answers. */
  isLinked(): Promise<boolean>
  /** Finds or creates the container and runs it. Throws a sentence for people. */
  begin(signal: AbortSignal): Promise<Docker.Container>
  /** Where the gateway reaches it, once it runs. */
  urlOf(container: Docker.Container): Promise<string>
  /** It ran before this driver: its earlier output is in the log already. */
  isAdopted: boolean
  log: Log
}

/** Does not throw: failures show in `exited`, and their sentence in `failure`. */
export function runAgentContainer(options: AgentContainerOptions): RunningAgent {
  const agent = new AgentContainer(options)
  const { talk } = agent
  return {
    get doing() {
      return talk.doing
    },
    get failure() {
      return agent.failure ?? talk.failure
    },
    failed: talk.failed,
    started: agent.started.promise,
    isAdopted: options.isAdopted,
    ready: agent.ready.promise,
    exited: agent.exited,
    inspect: () => agent.ask(() => talk.inspect()),
    measure: () => agent.ask(() => talk.measure()),
    activate: async () => void (await agent.ask(() => talk.activate())),
    drain: (limits) => agent.ask(() => talk.drain(limits)),
    // The engine enforces the limit.
    outgrown: () => new Promise(() => {}),
    terminate: () => agent.signal('SIGTERM'),
    kill: () => agent.signal('SIGKILL'),
    detach: () => agent.detach(),
  }
}

class AgentContainer {
  readonly #options: AgentContainerOptions
  readonly #stopping = new AbortController()
  /** Aborted when it has ended, or was detached. */
  readonly #over = new AbortController()
  /** Resolves when it runs: the time to become healthy begins. */
  readonly started = Promise.withResolvers<void>()
  readonly ready = Promise.withResolvers<Endpoint>()
  readonly #url = Promise.withResolvers<string>()
  readonly #link: DriverSocket
  readonly talk: Conversation
  readonly exited: Promise<string>
  failure: string | undefined
  #isLinked = false
  #wasKilled = false
  #isDetached = false
  #container: Docker.Container | undefined

  constructor(options: AgentContainerOptions) {
    this.#options = options
    const { token, onLoad, onLast } = options
    const unfit = (why: string) => this.#giveUp(why)
    this.#link = new DriverSocket({
      url: this.#url.promise,
      token,
      onRefused: () => unfit('The agent server does not know this installation’s keys.'),
    })
    this.#link.start()
    let isFirst = true
    this.#link.onMessage((message) => {
      if (!isMessage(message, 'hello')) return
      // Later ones report a drain of our own.
      const isSpent = options.isAdopted && isFirst && message.is_draining
      isFirst = false
      if (isSpent) unfit('The agent server had been told to drain; another takes its place.')
    })
    const exited = Promise.withResolvers<string>()
    this.exited = exited.promise
    this.talk = converse(this.#link, {
      ...{ exited: this.exited, onLoad, onLast },
    })
    void this.#live().then(exited.resolve)
  }

  /** `undefined` for an image that does not speak the link. */
  async ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    await Promise.race([this.started.promise, this.exited])
    return this.#isLinked ? question() : undefined
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const container = this.#container
    if (!container) {
      this.#stopping.abort(new Error('it was stopped before it began'))
      return
    }
    if (signal === 'SIGKILL') this.#wasKilled = true
    const { engine } = this.#options
    const send = () => container.kill({ signal })
    whenThere(engine, send, { signal: this.#over.signal }).catch(() => {})
  }

  /** Leaves it to the next driver. */
  detach(): void {
    this.#isDetached = true
    this.#link.stop()
    this.#stopping.abort(new Error('this driver has let go of it'))
  }

  #giveUp(why: string): void {
    this.failure = why
    this.signal('SIGKILL')
  }

  async #live(): Promise<string> {
    const { engine, log } = this.#options
    try {
      this.#container = await this.#begin()
      await this.#connect(this.#container)
      // Errors of the container show at its end.
      const output = this.#follow(this.#container).catch(() => {})
      const end = await this.#untilEnd(this.#container)
      await output
      return end
    } catch (error) {
      if (!this.#isDetached) log.warn({ err: error }, 'A container could not be run.')
      this.failure ??= this.#stopping.signal.aborted ? undefined : sentence(error)
      return explain(error)
    } finally {
      this.#link.stop()
      this.#over.abort()
      const container = this.#container
      const remove = () => container?.remove({ v: true, force: true })
      const terms = { signal: AbortSignal.timeout(60_000) }
      if (!this.#isDetached) await whenThere(engine, async () => remove(), terms).catch(() => {})
    }
  }

  async #begin(): Promise<Docker.Container> {
    const { engine, begin, isLinked, onWait } = this.#options
    const { signal } = this.#stopping
    const terms = { signal, onAway: onWait }
    this.#isLinked = await whenThere(engine, isLinked, terms)
    return whenThere(engine, () => begin(signal), terms)
  }

  async #connect(container: Docker.Container): Promise<void> {
    const { engine, urlOf, token, isAdopted, isStandby } = this.#options
    // It was asked to end before there was a container.
    if (this.#stopping.signal.aborted) this.#container = container
    const url = await whenThere(engine, () => urlOf(container), { signal: this.#stopping.signal })
    this.started.resolve()
    if (!this.#isLinked) return this.ready.resolve({ url, token })
    this.#url.resolve(url)
    void this.talk.ready.then(async (said) => {
      // The previous driver may not have activated it.
      if (isAdopted && !isStandby) await this.talk.activate()
      this.ready.resolve(endpointOf(said, token, url))
    })
  }

  /**
   * Output from while the engine is away is read when it is back; a line of the second in which it went may come twice.
   * Rejects when the container is gone or detached.
   */
  async #follow({ id }: Docker.Container): Promise<void> {
    const { engine, isAdopted, token } = this.#options
    const mark = logMark(token)
    const onLine = (line: string) => this.#options.onLine(notedLine(line, mark))
    await followOutput(engine, id, {
      ...{ since: isAdopted ? 'now' : 'begin', onLine, signal: this.#stopping.signal },
      isOver: async () => !(await this.#look(engine.docker.getContainer(id))).Running,
    })
  }

  async #look(container: Docker.Container) {
    const { signal } = this.#stopping
    return (await whenThere(this.#options.engine, () => container.inspect(), { signal })).State
  }

  async #untilEnd(container: Docker.Container): Promise<string> {
    const { signal } = this.#stopping
    const detached = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    )
    const look = () => this.#look(container)
    const ended = untilEnded(this.#options.engine, container.id, { look, signal })
    return this.#describeEnd(await Promise.race([ended, detached]))
  }

  #describeEnd({ OOMKilled, ExitCode }: { OOMKilled: boolean; ExitCode: number }): string {
    const { memoryMb } = this.#options
    if (OOMKilled) return `it took more than the ${memoryMb} MB of its memory_limit_mb: SIGKILL`
    const signal = signalOf(ExitCode)
    // Not every engine says why the kernel has ended a process.
    const isSuspect = signal === 'SIGKILL' && !this.#wasKilled
    if (isSuspect)
      return `it was ended by SIGKILL, as one that takes more than its ${memoryMb} MB is`
    return signal ? `it was ended by ${signal}` : `it ended with exit code ${ExitCode}`
  }
}

function sentence(error: unknown): string {
  if (isMissing(error)) return `The container engine: ${explain(error)}.`
  return explain(error)
}

/** The connection to a pod's agent server, from one start of its container to the next. */
import type { Load } from '../../core/deployment/runtime.ts'
import type { ServerReading } from '../../core/figures/reading.ts'
import { type Conversation, converse } from '../../link/conversation.ts'
import { DriverSocket } from '../../link/driver-socket.ts'
import type { ReadyMessage } from '../../link/messages.ts'

interface SessionOptions {
  token: string
  /** Receives its last counts when it ends. */
  onLast(reading: ServerReading): void
  /** Called when there is a connection, and when there is none any more. */
  onConnection(): void
  /** Called when it is connected and listens, also after a restart. */
  onReady(conversation: Conversation): void
}

interface Connection {
  containerId: string
  link: DriverSocket
  conversation: Conversation
  end(): void
}

export class AgentSession {
  readonly #options: SessionOptions
  #connection: Connection | undefined
  /** What it reported of its end before it was restarted. */
  #said: string | undefined
  /** `undefined`: it does not listen yet. */
  ready: ReadyMessage | undefined
  load: Load | null = null
  #release: { drainMs?: number } | undefined

  constructor(options: SessionOptions) {
    this.#options = options
  }

  get conversation(): Conversation | undefined {
    return this.#connection?.conversation
  }

  get isOpen(): boolean {
    return this.#connection?.link.isOpen ?? false
  }

  /** Its own reason for not starting; `undefined`: it reported none. */
  get failure(): string | undefined {
    return this.conversation?.failure ?? this.#said
  }

  /** Connects to the container that runs at `url`; `undefined`: none runs. */
  follow(running: { containerId: string; url: string } | undefined): void {
    if (running?.containerId === this.#connection?.containerId) return
    // Its last message is kept until it is restarted: it may be why it ended.
    if (!running) this.#connection?.end()
    else {
      this.stop()
      this.#open(running.containerId, running.url)
    }
  }

  /** See `Conversation.release`; repeated after a restart. */
  release(drainMs?: number): void {
    this.#release = drainMs === undefined ? {} : { drainMs }
    this.conversation?.release(drainMs)
  }

  stop(): void {
    this.#said = this.failure
    this.#connection?.end()
    this.#connection = undefined
  }

  #open(containerId: string, url: string): void {
    const { token, onLast, onConnection, onReady } = this.#options
    const link = new DriverSocket({ url, token, onConnection })
    link.start()
    const exited = Promise.withResolvers<void>()
    const conversation = converse(link, {
      exited: exited.promise,
      onLoad: (load) => {
        this.load = load
      },
      onLast: (reading) => onLast({ ...reading, url }),
    })
    const end = () => {
      link.stop()
      this.ready = undefined
      this.load = null
      exited.resolve()
    }
    this.#connection = { containerId, link, conversation, end }
    if (this.#release) conversation.release(this.#release.drainMs)
    void conversation.ready.then((ready) => {
      if (this.#connection?.containerId !== containerId) return
      this.ready = ready
      this.#said = undefined
      onReady(conversation)
    })
  }
}

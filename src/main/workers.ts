/** The worker processes of a `serve --workers N`, and the notices between them if its database has none. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Log } from '../core/log.ts'
import type { Notice, Notices } from '../core/notices.ts'
import { type Backoff, keepRunning } from '../process/restarts.ts'

/** A worker that ran for `resetMs` had no trouble starting. */
const BACKOFF: Backoff = { firstMs: 200, baseMs: 400, maxMs: 10_000, resetMs: 30_000 }

interface WorkersOptions {
  count: number
  /** The CLI: `runyard`. */
  commandPath: string
  /** The arguments of `serve`, without the role. */
  args: string[]
  /** Their whole environment: this process's project may have changed its own. */
  env: Readonly<Record<string, string>>
  /** Called for each started worker. */
  onStart: (worker: NoticePeer) => void
  log: Log
}

export class Workers {
  readonly #options: WorkersOptions
  readonly #children = new Set<ChildProcess>()
  readonly #stopping = new AbortController()
  #kept: Promise<unknown> = Promise.resolve()

  constructor(options: WorkersOptions) {
    this.#options = options
  }

  /** Starts them independently; a worker that ends is restarted until `stop`. */
  start(): void {
    const { count } = this.#options
    this.#kept = Promise.all(Array.from({ length: count }, (_, index) => this.#keep(index + 1)))
  }

  /** Makes them hand on their runs; resolves when all have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const child of this.#children) child.kill('SIGTERM')
    await this.#kept
  }

  async #keep(number: number): Promise<void> {
    const { signal } = this.#stopping
    const runOnce = async () => {
      const since = performance.now()
      const reason = await this.#runOnce()
      if (signal.aborted) return undefined
      this.#options.log.error({ worker: number, reason }, 'a worker has ended; it is started again')
      return performance.now() - since
    }
    await keepRunning({ runOnce, backoff: BACKOFF, signal })
  }

  /** Resolves when the process has ended, to its exit code or the signal. */
  async #runOnce(): Promise<unknown> {
    const { args, env, commandPath, onStart } = this.#options
    const flags = ['serve', '--role', 'worker', '--helper', ...args]
    const child = spawn(process.execPath, [commandPath, ...flags], {
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const ended = once(child, 'exit').catch((error: unknown) => [error])
    this.#children.add(child)
    onStart(child)
    const [code, signal] = await ended
    this.#children.delete(child)
    return signal ?? code
  }
}

interface NoticeMessage {
  type: 'notice'
  notice: Notice
}

/** The other end of a channel: a worker's `ChildProcess`, or in a worker `process` itself. */
export interface NoticePeer {
  connected: boolean
  send?: (
    message: NoticeMessage,
    handle: undefined,
    options: undefined,
    callback: (error: Error | null) => void,
  ) => unknown
  on(event: 'message', listener: (message: unknown) => void): unknown
}

/**
 * Sends notices over the channels between the first process and its workers; the first process forwards each worker's
 * notices.
 */
export class ProcessNotices implements Notices {
  readonly isConnected = true
  readonly #peers = new Set<NoticePeer>()
  readonly #listeners = new Set<(notice: Notice) => void>()

  /** From now on the peer receives and sends notices; peers with a closed channel are dropped. */
  add(peer: NoticePeer): void {
    this.#peers.add(peer)
    peer.on('message', (message) => {
      if (!isNoticeMessage(message)) return
      for (const listener of this.#listeners) listener(message.notice)
      this.#send(message.notice, peer)
    })
  }

  publish(notice: Notice): void {
    this.#send(notice)
  }

  subscribe(onNotice: (notice: Notice) => void): () => void {
    this.#listeners.add(onNotice)
    return () => void this.#listeners.delete(onNotice)
  }

  async close(): Promise<void> {
    this.#peers.clear()
  }

  #send(notice: Notice, except?: NoticePeer): void {
    for (const peer of this.#peers) {
      if (!peer.connected) this.#peers.delete(peer)
      // If a channel closes meanwhile, its peer needs no notice.
      else if (peer !== except)
        peer.send?.({ type: 'notice', notice }, undefined, undefined, () => {})
    }
  }
}

function isNoticeMessage(message: unknown): message is NoticeMessage {
  return (message as NoticeMessage | undefined)?.type === 'notice'
}

/**
 * Detects outages: the database is away or takes no writes, for example because its disk is full. However many
 * parts of the server fail, each outage is logged once at its start and once at its end.
 */
import type { AgentStore } from '../../core/agent/agent-store.ts'
import { DatabaseAway } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'

/** How often to check whether the outage is over, in ms. */
const LOOK_MS = 1_000

export class DatabaseOutage {
  /** The log for all parts of the server. It lowers errors caused by the outage to `debug`. */
  readonly log: Log
  readonly #store: Pick<AgentStore, 'checkWrites'>
  readonly #told: Log
  #onOver = () => {}
  #since: number | undefined
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(store: Pick<AgentStore, 'checkWrites'>, log: Log) {
    this.#store = store
    this.#told = log
    this.log = this.#watched(log)
  }

  /** Whether the database is in an outage now. */
  get isOn(): boolean {
    return this.#since !== undefined
  }

  /** `onOver` is called at the end of each outage. */
  start(onOver: () => void): void {
    this.#onOver = onOver
  }

  /** Stops checking. A second call does nothing. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #watched(log: Log): Log {
    return {
      debug: (fields, message) => log.debug(fields, message),
      info: (fields, message) => log.info(fields, message),
      warn: (fields, message) => log.warn(fields, message),
      error: (fields, message) => {
        const { err } = fields as { err?: unknown }
        if (!(err instanceof DatabaseAway)) return log.error(fields, message)
        this.#note(err)
        log.debug(fields, message)
      },
      child: (fields) => this.#watched(log.child(fields)),
    }
  }

  #note(err: DatabaseAway): void {
    if (this.isOn || this.#isStopped) return
    this.#since = performance.now()
    this.#told.error({ err }, `runs wait, and what would write is refused: ${err.message}`)
    this.#lookLater()
  }

  #lookLater(): void {
    if (!this.#isStopped) this.#timer = setTimeout(() => this.#look(), LOOK_MS).unref()
  }

  async #look(): Promise<void> {
    try {
      await this.#store.checkWrites()
    } catch {
      return this.#lookLater()
    }
    const ms = Math.round(performance.now() - Number(this.#since))
    this.#since = undefined
    this.#told.info({ ms }, 'the database takes writes again: runs go on')
    this.#onOver()
  }
}

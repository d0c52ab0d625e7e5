/** A listener's conversation with its control plane: one exchange after the other, for as long as it runs. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type {
  ListenerOrders,
  ListenerReport,
  ReportedLog,
} from '../core/deployment/listener-protocol.ts'
import type { RuntimeDriver } from '../core/deployment/runtime.ts'
import type { HostTable, TargetTable } from '../core/deployment/target.ts'
import { AppError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { Names } from './names.ts'
import { Revisions, type RevisionsOptions } from './revisions.ts'

/** How long changes are gathered before they interrupt an exchange, in ms. */
const GATHER_MS = 30
/** How often loads and logs are looked at, in ms. */
const LOOK_EVERY_MS = 1000
/** Reports the requested deployments on every Nth look. */
const ACTIVITY_LOOKS = 5
const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 10_000

interface ListenerOptions
  extends Pick<RevisionsOptions, 'remembered' | 'setHomeKey' | 'setDataKey'> {
  driver: RuntimeDriver
  targets: TargetTable
  hosts: HostTable
  /** Throws the control plane's refusals; any other error is tried again. */
  exchange(report: ListenerReport, signal: AbortSignal): Promise<ListenerOrders>
  /** Where its gateway is reached; asked at each report. */
  url: () => string | null
  /** The output of agent servers since the last `acknowledge`. */
  logs: {
    read(revision_ids: string[]): ReportedLog[]
    hasNew(revision_ids: string[]): boolean
    acknowledge(): void
  }
  /** Which Runyard it is. */
  runyard: string
  /** Called when the control plane no longer accepts this listener. */
  onRefused: (refusal: AppError) => void
  log: Log
}

export class Listener {
  readonly #options: ListenerOptions
  readonly #session = randomUUID()
  readonly #revisions: Revisions
  readonly #names: Names
  readonly #stopping = new AbortController()
  readonly #ordered = Promise.withResolvers<void>()
  #sequence = 0
  #version: string | null = null
  #running: Promise<void> = Promise.resolve()
  #looking: NodeJS.Timeout | undefined
  #gathering: NodeJS.Timeout | undefined
  #exchanging: AbortController | undefined
  /** Whether the next report may contain log lines: once after each look. */
  #mayTell = true
  /** Whether the current report contains log lines. */
  #isTelling = false
  #lastLoads = ''
  #lastActivity = ''
  #looks = 0
  readonly #unsubscribe: () => void

  constructor(options: ListenerOptions) {
    this.#options = options
    const onChange = () => this.#changed()
    this.#revisions = new Revisions({ ...options, onChange })
    const state: RuntimeDriver['observe'] = (id) => options.driver.observe(id)
    this.#names = new Names({ targets: options.targets, hosts: options.hosts, state, onChange })
    this.#unsubscribe = options.driver.onChange((id) => this.#names.follow(id))
  }

  /** Resolves when the first orders have come. */
  start(): Promise<void> {
    this.#running = this.#run()
    this.#looking = setInterval(() => this.#look(), LOOK_EVERY_MS)
    return this.#ordered.promise
  }

  /** Revisions keep running. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#exchanging?.abort()
    clearInterval(this.#looking)
    clearTimeout(this.#gathering)
    this.#unsubscribe()
    this.#revisions.close()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    let retryMs = FIRST_RETRY_MS
    while (!signal.aborted) {
      const exchanging = new AbortController()
      this.#exchanging = exchanging
      try {
        await this.#exchange(exchanging.signal)
        retryMs = FIRST_RETRY_MS
      } catch (error) {
        if (signal.aborted) return
        if (exchanging.signal.aborted) continue
        if (isRefusal(error)) return this.#options.onRefused(error)
        this.#options.log.warn({ err: error }, 'the control plane does not answer; trying again')
        await delay(retryMs, undefined, { signal }).catch(() => {})
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
      }
    }
  }

  async #exchange(signal: AbortSignal): Promise<void> {
    const report = this.#report()
    this.#isTelling = report.logs.length > 0
    const answer = this.#options.exchange(report, signal)
    const orders = await answer.finally(() => {
      this.#isTelling = false
    })
    this.#options.logs.acknowledge()
    this.#revisions.acknowledge(report.revisions)
    this.#version = orders.version
    this.#revisions.apply(orders)
    this.#names.apply(orders.names)
    this.#ordered.resolve()
  }

  #report(): ListenerReport {
    const { url, logs, runyard } = this.#options
    this.#sequence += 1
    const revisions = this.#revisions.report()
    this.#lastLoads = loadsOf(revisions)
    this.#lastActivity = this.#activity()
    const lines = logs.read(this.#mayTell ? this.#revisions.ids() : [])
    if (lines.length > 0) this.#mayTell = false
    return {
      ...{ session: this.#session, sequence: this.#sequence, version: this.#version },
      ...{ url: url(), runyard, revisions, names: this.#names.report(), logs: lines },
    }
  }

  /**
   * Interrupts the waiting exchange; the next one reports what is new. An exchange with log lines does not wait, and
   * without its answer they would be reported twice.
   */
  #changed(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined
      if (!this.#isTelling) this.#exchanging?.abort()
    }, GATHER_MS)
  }

  #activity(): string {
    return JSON.stringify(this.#names.report())
  }

  #look(): void {
    this.#looks += 1
    this.#mayTell = true
    const isAsked = this.#looks % ACTIVITY_LOOKS === 0 && this.#activity() !== this.#lastActivity
    const isNew = loadsOf(this.#revisions.report()) !== this.#lastLoads
    if (isAsked || isNew || this.#options.logs.hasNew(this.#revisions.ids())) this.#changed()
  }
}

function loadsOf(revisions: ListenerReport['revisions']): string {
  return JSON.stringify(revisions.map(({ replicas }) => replicas))
}

function isRefusal(error: unknown): error is AppError {
  return (
    error instanceof AppError && ['unauthenticated', 'forbidden', 'conflict'].includes(error.code)
  )
}

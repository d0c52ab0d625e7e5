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
  readonly #open = new OpenExchange()
  readonly #news: News
  readonly #unsubscribe: () => void
  #sequence = 0
  #version: string | null = null
  #running: Promise<void> = Promise.resolve()

  constructor(options: ListenerOptions) {
    this.#options = options
    const onChange = () => this.#open.interruptSoon()
    this.#revisions = new Revisions({ ...options, onChange })
    const state: RuntimeDriver['observe'] = (id) => options.driver.observe(id)
    this.#names = new Names({ targets: options.targets, hosts: options.hosts, state, onChange })
    this.#news = new News({ report: () => this.#reported(), logs: options.logs, onNews: onChange })
    this.#unsubscribe = options.driver.onChange((id) => this.#names.follow(id))
  }

  /** Resolves when the first orders have come. */
  start(): Promise<void> {
    this.#running = this.#run()
    this.#news.start()
    return this.#ordered.promise
  }

  /** Revisions keep running. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#news.stop()
    this.#open.stop()
    this.#unsubscribe()
    this.#revisions.stop()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    let retryMs = FIRST_RETRY_MS
    while (!signal.aborted) {
      const interrupted = this.#open.begin()
      try {
        await this.#exchange(interrupted)
        retryMs = FIRST_RETRY_MS
      } catch (error) {
        if (signal.aborted) return
        if (interrupted.aborted) continue
        if (isRefusal(error)) return this.#options.onRefused(error)
        this.#options.log.warn({ err: error }, 'the control plane does not answer; trying again')
        await delay(retryMs, undefined, { signal }).catch(() => {})
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
      }
    }
  }

  async #exchange(signal: AbortSignal): Promise<void> {
    const report = this.#report()
    this.#open.mayInterrupt = report.logs.length === 0
    const answer = this.#options.exchange(report, signal)
    const orders = await answer.finally(() => {
      this.#open.mayInterrupt = true
    })
    this.#options.logs.acknowledge()
    this.#revisions.acknowledge(report.revisions)
    this.#version = orders.version
    this.#revisions.apply(orders)
    this.#names.apply(orders.names)
    this.#ordered.resolve()
  }

  #report(): ListenerReport {
    const { url, runyard } = this.#options
    this.#sequence += 1
    const { revisions, names } = this.#reported()
    const logs = this.#news.take({ revisions, names })
    return {
      ...{ session: this.#session, sequence: this.#sequence, version: this.#version },
      ...{ url: url(), runyard, revisions, names, logs },
    }
  }

  #reported(): Reported {
    return { revisions: this.#revisions.report(), names: this.#names.report() }
  }
}

/** The exchange under way, which a change interrupts: the next one reports it. */
class OpenExchange {
  /**
   * An exchange with log lines is not interrupted: it does not wait, and without its answer they would be reported
   * twice.
   */
  mayInterrupt = true
  #open: AbortController | undefined
  #gathering: NodeJS.Timeout | undefined

  /** Returns the signal that ends the next exchange. */
  begin(): AbortSignal {
    this.#open = new AbortController()
    return this.#open.signal
  }

  /** Interrupts it once for all that changes within `GATHER_MS`. */
  interruptSoon(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined
      if (this.mayInterrupt) this.#open?.abort()
    }, GATHER_MS)
  }

  stop(): void {
    clearTimeout(this.#gathering)
    this.#open?.abort()
  }
}

type Reported = Pick<ListenerReport, 'revisions' | 'names'>

interface NewsOptions {
  report(): Reported
  logs: Pick<ListenerOptions['logs'], 'read' | 'hasNew'>
  /** Called when there is something that the last report does not have. */
  onNews(): void
}

/** Looks once a second at what changes without notice: loads, activity and logs. */
class News {
  readonly #options: NewsOptions
  #timer: NodeJS.Timeout | undefined
  #looks = 0
  #loads = ''
  #activity = ''
  /** Whether the next report may contain log lines: once after each look. */
  #mayTell = true

  constructor(options: NewsOptions) {
    this.#options = options
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Returns the log lines for the next report, which has this. */
  take({ revisions, names }: Reported): ReportedLog[] {
    this.#loads = loadsOf(revisions)
    this.#activity = JSON.stringify(names)
    const logs = this.#options.logs.read(this.#mayTell ? idsOf(revisions) : [])
    if (logs.length > 0) this.#mayTell = false
    return logs
  }

  #look(): void {
    const { report, logs, onNews } = this.#options
    this.#looks += 1
    this.#mayTell = true
    const { revisions, names } = report()
    const isAsked = this.#looks % ACTIVITY_LOOKS === 0 && JSON.stringify(names) !== this.#activity
    if (isAsked || loadsOf(revisions) !== this.#loads || logs.hasNew(idsOf(revisions))) onNews()
  }
}

function loadsOf(revisions: ListenerReport['revisions']): string {
  return JSON.stringify(revisions.map(({ replicas }) => replicas))
}

function idsOf(revisions: ListenerReport['revisions']): string[] {
  return revisions.map(({ revision_id }) => revision_id)
}

function isRefusal(error: unknown): error is AppError {
  return (
    error instanceof AppError && ['unauthenticated', 'forbidden', 'conflict'].includes(error.code)
  )
}

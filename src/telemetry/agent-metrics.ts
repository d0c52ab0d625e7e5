/**
 * The metrics of an agent server, by prom-client. The library takes long to load, so it is loaded after the start.
 * Earlier reports are kept until then.
 */
import type { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { AgentStore } from '../core/agent/agent-store.ts'
import type { AgentMetrics, MetricsFormat } from '../core/agent/server/metrics.ts'
import type { Clock } from '../core/clock.ts'
import { type Durations, recordDurations, TIME_BOUNDS } from '../core/figures/histogram.ts'
import type { AgentReading } from '../core/figures/reading.ts'
import {
  countsBy,
  gaugeOf,
  observationsBy,
  openRegistry,
  readProcess,
  requestMetrics,
  written,
} from './prometheus.ts'

/** Read whenever the metrics are. */
interface AgentMetricsParts {
  store: Pick<AgentStore, 'runs' | 'webhookDeliveries' | 'ping' | 'sizeBytes'>
  clock: Clock
}

/** When to load, in ms: after the first requests. */
const LOAD_MS = 1_000

/** Metrics that keep reports until `load` has loaded the library. */
export class LazyAgentMetrics implements AgentMetrics {
  readonly #parts: AgentMetricsParts
  #early: ((metrics: PromMetrics) => void)[] = []
  #loading: Promise<PromMetrics> | undefined
  #loaded: PromMetrics | undefined

  constructor(parts: AgentMetricsParts) {
    this.#parts = parts
  }

  /** Loads later, so that a server that has just begun to listen serves its first requests. */
  loadLater(): void {
    setTimeout(() => void this.load(), LOAD_MS).unref()
  }

  /** A second call waits for the first. */
  load(): Promise<PromMetrics> {
    this.#loading ??= this.#load()
    return this.#loading
  }

  requestAnswered(request: Parameters<AgentMetrics['requestAnswered']>[0]): void {
    this.#tell((metrics) => metrics.requestAnswered(request))
  }

  runStarted(run: { waited: number }): void {
    this.#tell(({ runWait, durations }) => {
      runWait.observe(run.waited)
      durations.waits.add(run.waited)
    })
  }

  runEnded({ status, seconds }: Parameters<AgentMetrics['runEnded']>[0]): void {
    this.#tell(({ runDuration, durations }) => {
      runDuration.observe({ status }, seconds)
      durations.durations.add(seconds)
    })
  }

  firstEvent(seconds: number): void {
    this.#tell(({ firstEvent, durations }) => {
      firstEvent.observe(seconds)
      durations.first_outputs.add(seconds)
    })
  }

  firstToken(seconds: number): void {
    this.#tell(({ firstToken, durations }) => {
      firstToken.observe(seconds)
      durations.first_tokens.add(seconds)
    })
  }

  tokensUsed({ input, output }: Parameters<AgentMetrics['tokensUsed']>[0]): void {
    this.#tell(({ tokens }) => {
      tokens.inc({ kind: 'input' }, input)
      tokens.inc({ kind: 'output' }, output)
    })
  }

  streamOpened(): () => void {
    this.#tell(({ streams }) => streams.inc())
    return () => this.#tell(({ streams }) => streams.dec())
  }

  webhookAttempted({ status, seconds }: Parameters<AgentMetrics['webhookAttempted']>[0]): void {
    this.#tell(({ webhooks }) => webhooks.observe({ status }, seconds))
  }

  async read(format: MetricsFormat): Promise<{ contentType: string; body: string }> {
    const { registry, gauges } = await this.load()
    await readFigures(this.#parts, gauges)
    return written(registry, format)
  }

  /** The data for figures, from the same metrics. */
  async reading(): Promise<AgentReading> {
    const metrics = await this.load()
    await readFigures(this.#parts, metrics.gauges)
    return readAgent(metrics)
  }

  /** The same without the database, which may be gone: its figures are those last read. */
  async counted(): Promise<AgentReading> {
    return readAgent(await this.load())
  }

  #tell(what: (metrics: PromMetrics) => void): void {
    if (this.#loaded) what(this.#loaded)
    else this.#early.push(what)
  }

  async #load(): Promise<PromMetrics> {
    const metrics = await createPromMetrics()
    this.#loaded = metrics
    for (const what of this.#early.splice(0)) what(metrics)
    return metrics
  }
}

interface PromMetrics extends Pick<AgentMetrics, 'requestAnswered'> {
  registry: Registry
  runWait: Histogram
  runDuration: Histogram<'status'>
  firstEvent: Histogram
  firstToken: Histogram
  /** For figures. */
  durations: Record<'waits' | 'first_outputs' | 'first_tokens' | 'durations', Durations>
  tokens: Counter<'kind'>
  webhooks: Histogram<'status'>
  streams: Gauge
  gauges: FigureGauges
}

interface FigureGauges {
  runs: Gauge<'status'>
  queueAge: Gauge
  pendingWebhooks: Gauge
  databaseBytes: Gauge
  databaseLatency: Gauge
}

async function createPromMetrics(): Promise<PromMetrics> {
  const opened = await openRegistry()
  const { registry, gauge, counter } = opened
  const histogram = <L extends string>(name: string, help: string, labels: L[] = []) =>
    opened.histogram(name, help, labels, [...TIME_BOUNDS])
  const { requestAnswered } = requestMetrics(opened)
  return {
    requestAnswered,
    registry,
    runWait: histogram('run_wait_seconds', 'From when a run was due to its start'),
    runDuration: histogram('run_duration_seconds', 'From the start of a run to its end', [
      'status',
    ]),
    firstEvent: histogram(
      'run_first_event_seconds',
      "From when a run was due to its graph's first output",
    ),
    firstToken: histogram(
      'run_first_token_seconds',
      'From when a run was due to the first token of a model',
    ),
    durations: {
      waits: recordDurations(),
      first_outputs: recordDurations(),
      first_tokens: recordDurations(),
      durations: recordDurations(),
    },
    tokens: counter('model_tokens_total', 'Tokens that models have read and written', ['kind']),
    webhooks: histogram('webhook_attempt_seconds', 'Attempts to deliver a webhook', ['status']),
    streams: gauge('streams_open', 'Streams that clients are reading'),
    gauges: {
      runs: gauge('runs', 'Runs that are not over', ['status']),
      queueAge: gauge('queue_age_seconds', 'How long the run that waits longest has been due'),
      pendingWebhooks: gauge('webhooks_pending', 'Webhook deliveries that are not settled'),
      databaseBytes: gauge('database_bytes', 'The size of the database'),
      databaseLatency: gauge('database_latency_seconds', 'How long the database took to answer'),
    },
  }
}

async function readFigures(
  { store, clock }: AgentMetricsParts,
  gauges: FigureGauges,
): Promise<void> {
  const begun = performance.now()
  await store.ping()
  gauges.databaseLatency.set((performance.now() - begun) / 1000)
  const { oldest_due_at, waiting, delayed, running } = await store.runs.figures(clock.now())
  gauges.runs.set({ status: 'waiting' }, waiting)
  gauges.runs.set({ status: 'delayed' }, delayed)
  gauges.runs.set({ status: 'running' }, running)
  const age = oldest_due_at === null ? 0 : Math.max(clock.now() - oldest_due_at, 0)
  gauges.queueAge.set(age / 1000)
  gauges.pendingWebhooks.set(await store.webhookDeliveries.countPending())
  gauges.databaseBytes.set(await store.sizeBytes())
}

async function readAgent(metrics: PromMetrics): Promise<AgentReading> {
  const { registry, gauges, streams, runDuration, durations, webhooks, tokens } = metrics
  return {
    ...(await readProcess(registry)),
    waiting: await gaugeOf(gauges.runs, { status: 'waiting' }),
    delayed: await gaugeOf(gauges.runs, { status: 'delayed' }),
    running: await gaugeOf(gauges.runs, { status: 'running' }),
    queue_age_seconds: await gaugeOf(gauges.queueAge),
    streams_open: await gaugeOf(streams),
    webhooks_pending: await gaugeOf(gauges.pendingWebhooks),
    database_bytes: await gaugeOf(gauges.databaseBytes),
    runs: await observationsBy(runDuration, 'status'),
    webhooks: await observationsBy(webhooks, 'status'),
    tokens: await countsBy(tokens, 'kind'),
    waits: durations.waits.read(),
    first_outputs: durations.first_outputs.read(),
    first_tokens: durations.first_tokens.read(),
    durations: durations.durations.read(),
  }
}

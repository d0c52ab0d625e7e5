/** Traces, metrics and logs for OpenTelemetry, if configured: the SDK is loaded only then. */
import type { AgentMetrics } from '../core/agent/server/metrics.ts'
import { importLater } from '../core/later-package.ts'
import type { LogControl } from '../core/log.ts'
import { noTracer, type Tracer } from '../core/tracing.ts'
import type { Started } from '../process/started.ts'
import { readTelemetry } from '../project/variables.ts'
import type { Environment } from '../settings/values.ts'
import { readVersion } from '../version.ts'

interface Sent {
  tracer: Tracer
  /** Sends these metrics from now on, if metrics are configured. */
  sendMetrics(metrics: Pick<AgentMetrics, 'read'>): void
}

/** `name`: of this service, unless the environment names it. Sends the lines of `log`, if logs are configured. */
export async function openTelemetry(
  name: string,
  {
    started,
    env,
    log,
  }: { started: Pick<Started<unknown>, 'add'>; env: Environment; log: LogControl },
): Promise<Sent> {
  const { hasServiceName, ...wanted } = readTelemetry(env)
  if (!wanted.traces && !wanted.metrics && !wanted.logs) {
    return { tracer: noTracer, sendMetrics() {} }
  }
  let metrics: Pick<AgentMetrics, 'read'> | undefined
  const startSending = await importLater('to send what OTEL_* ask for', importSending)
  const { tracer, onLine, flushMetrics, stop } = await startSending(
    {
      name: hasServiceName ? undefined : name,
      version: readVersion(),
      readMetrics: async () => (await metrics?.read('json'))?.body ?? '{}',
    },
    wanted,
  )
  started.add('telemetry', () => stop())
  if (onLine) log.onLine(onLine)
  return {
    tracer,
    sendMetrics(given) {
      metrics = given
      // Before the database closes, from which they are read.
      started.add('metrics', async () => {
        await flushMetrics()
        metrics = undefined
      })
    },
  }
}

async function importSending() {
  const { startSending } = await import('../telemetry/traces.ts')
  return startSending
}

/** Traces, where they are wanted: the SDK is loaded only then. */
import { importLater } from '../core/later-package.ts'
import { noTracer, type Tracer } from '../core/tracing.ts'
import type { Started } from '../process/started.ts'
import { readTracing } from '../project/variables.ts'
import type { Environment } from '../settings/settings.ts'
import { readVersion } from '../version.ts'

/** `name`: of this service, unless the environment names it. */
export async function openTracer(
  name: string,
  started: Pick<Started<unknown>, 'add'>,
  env: Environment,
): Promise<Tracer> {
  const { isWanted, hasServiceName } = readTracing(env)
  if (!isWanted) return noTracer
  const startTracing = await importLater('to send traces, as OTEL_* ask for', importTracing)
  const version = readVersion()
  const tracing = startTracing({ name: hasServiceName ? undefined : name, version })
  started.add('traces', () => tracing.stop())
  return tracing
}

async function importTracing() {
  const { startTracing } = await import('../telemetry/traces.ts')
  return startTracing
}

/** Traces, where they are wanted: the SDK is loaded only then. */
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
  const { startTracing } = await import('../telemetry/traces.ts')
  const version = readVersion()
  const tracing = startTracing({ name: hasServiceName ? undefined : name, version })
  started.add('traces', () => tracing.stop())
  return tracing
}

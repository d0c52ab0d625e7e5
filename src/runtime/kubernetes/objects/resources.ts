/** Resources of an agent server's container, from `resource_spec`. */
import type { V1ResourceRequirements } from '@kubernetes/client-node'
import type { JsonObject } from '../../../core/json.ts'

/** Reserved for an agent server without values of its own. */
const DEFAULT_CPU = 0.1
const DEFAULT_MEMORY_MB = 256

/**
 * `cpu` and `memory_mb` are reserved for it; its limits are `cpu_limit` and `memory_limit_mb`, by default twice as
 * much, or none if neither is set.
 */
export function resourcesOf(resource_spec: JsonObject | null): V1ResourceRequirements {
  const read = (name: string) => numberOf(resource_spec?.[name])
  const cpu = read('cpu')
  const memoryMb = read('memory_mb')
  const cpuLimit = read('cpu_limit') ?? twice(cpu)
  const memoryLimitMb = read('memory_limit_mb') ?? twice(memoryMb)
  return {
    requests: {
      cpu: cores(Math.min(cpu ?? DEFAULT_CPU, cpuLimit ?? Number.POSITIVE_INFINITY)),
      memory: mebibytes(
        Math.min(memoryMb ?? DEFAULT_MEMORY_MB, memoryLimitMb ?? Number.POSITIVE_INFINITY),
      ),
    },
    limits: {
      ...(cpuLimit !== undefined && { cpu: cores(cpuLimit) }),
      ...(memoryLimitMb !== undefined && { memory: mebibytes(memoryLimitMb) }),
    },
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined
}

function twice(value: number | undefined): number | undefined {
  return value === undefined ? undefined : 2 * value
}

function cores(count: number): string {
  return `${Math.round(count * 1000)}m`
}

function mebibytes(count: number): string {
  return `${count}Mi`
}

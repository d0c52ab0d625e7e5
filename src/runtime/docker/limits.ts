/** How much of the machine a container may take: `resource_spec`, as the engine understands it. */
import { AppError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'

/** Without a `resource_spec`: what the original gives an agent server by default, doubled as its limit. */
const DEFAULT_MEMORY_MB = 2048
const DEFAULT_CPUS = 2
/** Processes and threads: Node has about a dozen, a Python host a few more. */
const MOST_PROCESSES = 512
const TMP_MB = 256
const MIB = 1024 * 1024
/** No agent server begins with less. To engines 0 is no limit, and a few MB are a mistake. */
const LEAST_MEMORY_MB = 64
/** In microseconds. Engines refuse more processors than the machine has, but not a quota above this period. */
const CPU_PERIOD = 100_000

/** If processors are short, a whole build gets a quarter of an agent server's share, whose weight is 1024. */
export const BUILD_CPU_SHARES = 256

interface ContainerLimits {
  memoryMb: number
  /** The limits for the engine. */
  host: {
    Memory: number
    MemorySwap: number
    CpuPeriod: number
    CpuQuota: number
    PidsLimit: number
  }
  /** Of `/tmp`, which is memory. */
  tmpMb: number
}

/** `memory_limit_mb` and `cpu_limit`, else twice `memory_mb` and `cpu`, as the original has it. */
export function containerLimits(resource_spec: JsonObject | null): ContainerLimits {
  const spec = resource_spec ?? {}
  const askedMb = limitOf(spec, 'memory_limit_mb', 'memory_mb') ?? DEFAULT_MEMORY_MB
  const memoryMb = Math.max(LEAST_MEMORY_MB, askedMb)
  const cpus = limitOf(spec, 'cpu_limit', 'cpu') ?? DEFAULT_CPUS
  const Memory = Math.round(memoryMb * MIB)
  return {
    memoryMb,
    tmpMb: Math.min(TMP_MB, Math.floor(memoryMb / 2)),
    // As much swap as memory means none beyond it.
    host: {
      Memory,
      MemorySwap: Memory,
      CpuPeriod: CPU_PERIOD,
      CpuQuota: Math.round(cpus * CPU_PERIOD),
      PidsLimit: MOST_PROCESSES,
    },
  }
}

/** Throws `bad_request` for limits that no agent server could start with. */
export function checkContainerLimits(resource_spec: JsonObject): void {
  for (const name of ['memory_mb', 'memory_limit_mb'] as const) {
    const value = resource_spec[name]
    if (typeof value !== 'number' || value >= LEAST_MEMORY_MB) continue
    throw new AppError(
      'bad_request',
      `source_config.resource_spec.${name} is ${value}, and an agent server in a container needs ` +
        `${LEAST_MEMORY_MB} MB at the least: give more, or leave it out.`,
    )
  }
}

function limitOf(spec: JsonObject, limit: string, reserved: string): number | undefined {
  const most = spec[limit]
  if (typeof most === 'number') return most
  const least = spec[reserved]
  return typeof least === 'number' ? 2 * least : undefined
}

/** `checkpointer.ttl` of `langgraph.json`: how long threads are kept. */
import { z } from 'zod'
import type { TtlConfig } from '../core/agent/server/project-settings.ts'
import { TTL_STRATEGIES } from '../core/agent/thread.ts'

const DEFAULT_TTL_CONFIG = { sweepIntervalMinutes: 5, sweepLimit: 1000 }

const Minutes = z
  .number('write a number of minutes above 0')
  .positive('write a number of minutes above 0')

export const TtlEntry = z.looseObject({
  strategy: z.enum(TTL_STRATEGIES).nullish(),
  default_ttl: Minutes.nullish(),
  sweep_interval_minutes: Minutes.nullish(),
  sweep_limit: z.int().positive().nullish(),
})

/** The part `checkpointer` of the file; only its `ttl` is used. */
export const CheckpointerConfig = z.looseObject({ ttl: TtlEntry.nullish() })

export function readTtlConfig(
  checkpointer: z.infer<typeof CheckpointerConfig> | null | undefined,
): TtlConfig {
  const { strategy, default_ttl, sweep_interval_minutes, sweep_limit } = checkpointer?.ttl ?? {}
  return {
    ...(default_ttl && {
      defaultTtl: { strategy: strategy ?? 'delete', ttl_minutes: default_ttl },
    }),
    sweepIntervalMinutes: sweep_interval_minutes ?? DEFAULT_TTL_CONFIG.sweepIntervalMinutes,
    sweepLimit: sweep_limit ?? DEFAULT_TTL_CONFIG.sweepLimit,
  }
}

/** `store` of `langgraph.json`: how long items are kept, and how they are found by meaning. */
import { z } from 'zod'
import type { StoreConfig } from '../core/agent/project-settings.ts'

export interface ProjectStore extends StoreConfig {
  index?: IndexConfig
}

export interface IndexConfig {
  /** `./file.ts:export` of the project, or `provider:model`. */
  embed: string
  /** How many numbers a vector has. */
  dims: number
  /** The paths whose texts are embedded (`core/agent/item-text.ts`). */
  fields: string[]
}

const DEFAULT_SWEEP_MINUTES = 5

const Minutes = z.number().positive('write a number of minutes above 0')

/** The part `store` of the file. */
export const StoreSection = z.looseObject({
  ttl: z
    .looseObject({
      default_ttl: Minutes.nullish(),
      refresh_on_read: z.boolean('write true or false').nullish(),
      sweep_interval_minutes: Minutes.nullish(),
    })
    .nullish(),
  index: z
    .looseObject({
      embed: z.string('write "./<file>:<export>", or "<provider>:<model>"'),
      dims: z.int('write how many numbers a vector has').positive(),
      fields: z.array(z.string(), 'write a list of paths, for example ["$"]').nullish(),
    })
    .nullish(),
})

export function readStoreConfig(
  store: z.infer<typeof StoreSection> | null | undefined,
): ProjectStore {
  const { default_ttl, refresh_on_read, sweep_interval_minutes } = store?.ttl ?? {}
  const { embed, dims, fields } = store?.index ?? {}
  return {
    ...(default_ttl && { defaultTtlMinutes: default_ttl }),
    refreshOnRead: refresh_on_read ?? true,
    sweepIntervalMinutes: sweep_interval_minutes ?? DEFAULT_SWEEP_MINUTES,
    ...(embed !== undefined &&
      dims !== undefined && {
        index: { embed, dims, fields: fields ?? ['$'] },
      }),
  }
}

/** `store` of `langgraph.json`: how long items are kept, and how they are found by meaning. */
import { z } from 'zod'
import type { StoreConfig } from '../core/agent/server/project-settings.ts'
import type { Language } from '../core/deployment/artifacts/artifact.ts'
import { isPython, type PythonModule, type ReadingConfig, resolveModule } from './module-spec.ts'

export interface ProjectStore extends StoreConfig {
  index?: IndexConfig
}

export interface IndexConfig {
  /** `./file.ts:export` of the project, or `provider:model`. */
  embed: string
  /** The language of the embeddings. */
  language: Language
  /** The Python export that `embed` names, if it names one. */
  module?: PythonModule
  /** How many numbers a vector has. */
  dims: number
  /** The paths whose texts are embedded (`core/agent/items/text.ts`). */
  fields: string[]
}

const DEFAULT_SWEEP_MINUTES = 5

export const Minutes = z
  .number('write a number of minutes above 0')
  .positive('write a number of minutes above 0')

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

/** `language`: the language in which a provider's embeddings are loaded. */
export function readStoreConfig(
  store: z.infer<typeof StoreSection> | null | undefined,
  language: Language = 'javascript',
): ProjectStore {
  const { default_ttl, refresh_on_read, sweep_interval_minutes } = store?.ttl ?? {}
  return {
    ...(default_ttl && { defaultTtlMinutes: default_ttl }),
    refreshOnRead: refresh_on_read ?? true,
    sweepIntervalMinutes: sweep_interval_minutes ?? DEFAULT_SWEEP_MINUTES,
    ...(store?.index && { index: readIndex(store.index, language) }),
  }
}

/** `provider:model` has the form of a module of Python: only files are the project's own. */
function readIndex(
  { embed, dims, fields }: NonNullable<z.infer<typeof StoreSection>['index']>,
  language: Language,
): IndexConfig {
  const index = { embed, dims, fields: fields ?? ['$'] }
  if (/\.[cm]?[jt]sx?:/.test(embed)) return { ...index, language: 'javascript' }
  return { ...index, language: PYTHON_EMBED.test(embed) ? 'python' : language }
}

const PYTHON_EMBED = /\.py:/

/** Finds the Python export that `embed` names. Throws `bad_request`. */
export async function resolveEmbed(
  reading: ReadingConfig,
  store: ProjectStore,
): Promise<ProjectStore> {
  const { index } = store
  if (!index || !PYTHON_EMBED.test(index.embed)) return store
  const module = await resolveModule(reading, '"store.index.embed"', index.embed)
  return isPython(module) ? { ...store, index: { ...index, module } } : store
}

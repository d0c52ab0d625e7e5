/** A run's config in LangGraph's own words. */
import type { GraphConfig } from '../../../core/agent/host/graph-host.ts'
import type { JsonObject, JsonValue } from '../../../core/json.ts'

/** The wire's names of config fields, and LangGraph's. */
const FIELDS = {
  tags: 'tags',
  recursion_limit: 'recursionLimit',
  max_concurrency: 'maxConcurrency',
  run_name: 'runName',
} as const

/** What a graph's factory and `stream` are called with. */
export function toRunnableConfig({ metadata, configurable, ...config }: GraphConfig): JsonObject {
  const entries = Object.entries(FIELDS).flatMap(([wire, own]): [string, JsonValue][] => {
    const value = config[wire as keyof typeof FIELDS]
    return value === undefined ? [] : [[own, value]]
  })
  return { ...Object.fromEntries(entries), ...(metadata && { metadata }), configurable }
}

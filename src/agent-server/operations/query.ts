/** Query parameters in the forms that SDKs send them. */
import { z } from '@hono/zod-openapi'
import { parseJson } from '../../core/exact-json.ts'

/** `true`/`false` or `1`/`0`. Default: false. */
export const FlagSchema = z
  .enum(['true', 'false', '1', '0'])
  .default('false')
  .transform((value) => value === 'true' || value === '1')
  .openapi({ type: 'boolean', default: false })

/** How many entries to skip. Default: 0. */
export const OffsetSchema = z.coerce
  .number()
  .int()
  .min(0)
  .default(0)
  .openapi({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })

/** A list, sent as a repeated key, one JSON array, or a single item. */
export function queryList<T extends z.ZodType>(item: T) {
  return z.preprocess(asList, z.array(item))
}

function asList(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (!value.startsWith('[')) return [value]
  try {
    return parseJson(value)
  } catch {
    return [value]
  }
}

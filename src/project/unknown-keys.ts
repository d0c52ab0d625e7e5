/** Unknown keys of `langgraph.json`: most of them are misspelt. */
import { distance } from 'fastest-levenshtein'
import { z } from 'zod'
import { isObject } from '../core/json.ts'

interface UnknownKey {
  /** With the keys above it, joined by points. */
  path: string
  /** The known key beside it that looks most like it, with those above; `undefined`: none does. */
  meant: string | undefined
}

/** Tools read it, and no server does. */
const SCHEMA_KEY = '$schema'

/**
 * Keys of `value` that `schema` lacks, wherever it describes an object. `noted`: further known keys, by the path of
 * their object.
 */
export function unknownKeys(
  schema: z.core.$ZodType,
  value: unknown,
  noted: (path: string) => readonly string[],
  at: readonly string[] = [],
): UnknownKey[] {
  const described = bare(schema)
  if (!isObject(value)) return []
  if (described instanceof z.ZodRecord) {
    const { valueType } = described.def
    return Object.entries(value).flatMap(([key, one]) =>
      unknownKeys(valueType, one, noted, [...at, key]),
    )
  }
  if (!(described instanceof z.ZodObject)) return []
  const { shape } = described
  const known = [...Object.keys(shape), ...noted(at.join('.')), SCHEMA_KEY]
  return Object.entries(value).flatMap(([key, one]) => {
    const path = [...at, key]
    if (key in shape) return unknownKeys(shape[key], one, noted, path)
    if (known.includes(key)) return []
    const meant = nearest(key, known)
    return [{ path: path.join('.'), meant: meant && [...at, meant].join('.') }]
  })
}

/** Without the wrappers for an absent value; of several forms, the one of an object. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return bare(schema.unwrap())
  }
  if (!(schema instanceof z.ZodUnion)) return schema
  return schema.options.map(bare).find((one) => one instanceof z.ZodObject) ?? schema
}

function nearest(key: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((one) => ({ one, apart: distance(key.toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, apart }) => apart <= Math.max(2, one.length / 3) || isLonger(key, one))
    .toSorted((a, b) => a.apart - b.apart)
  return best?.one
}

/** Like `environment` and `env`. */
function isLonger(key: string, known: string): boolean {
  return key.startsWith(known) || known.startsWith(key)
}

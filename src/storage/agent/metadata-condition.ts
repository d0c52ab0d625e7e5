/** Conditions on a row's `metadata`, in SQL. */
import type { MetadataFilter } from '../../core/agent/authorization.ts'
import { numberText } from '../../core/exact-json.ts'
import { isExactNumber, isObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { Db, JsonSql, SqlValue } from '../db/db.ts'

export interface MetadataWanted {
  /** JSON that the metadata contains, as the client asks. */
  metadata?: JsonObject
  /** What the caller may see, like `matchesFilter`. */
  filter?: MetadataFilter
}

/** The conditions, to be joined by AND. Their values are added to `params`. */
export function metadataConditions(
  json: JsonSql,
  { metadata = {}, filter = {} }: MetadataWanted,
  params: SqlValue[],
): string[] {
  const place = (value: JsonValue) => `$${params.push(JSON.stringify(value))}`
  const { contained, equal, joined } = splitFilter(filter)
  return [
    ...[metadata, contained]
      .filter(hasFields)
      .map((wanted) => json.contains('metadata', place(wanted))),
    ...[equal].filter(hasFields).map((wanted) => json.fieldsEqual('metadata', place(wanted))),
    ...joined.map(([word, filters]) => {
      const each = filters.map((one) => metadataConditions(json, { filter: one }, params))
      return `(${each.map((all) => `(${all.join(' AND ') || 'true'})`).join(` ${word} `)})`
    }),
  ]
}

/**
 * Splits off the plain values that the metadata must have, which are looked up as labels. `undefined`:
 * the client asks for another value than the caller may see, so nothing matches.
 */
export function splitLabels({ metadata = {}, filter = {} }: MetadataWanted):
  | (Required<MetadataWanted> & {
      /** JSON values by key. */
      labels: Record<string, string>
    })
  | undefined {
  const asked = labelsOf(metadata)
  const allowed = labelsOf(plainConditions(filter))
  const isImpossible = Object.keys(asked).some(
    (key) => Object.hasOwn(allowed, key) && allowed[key] !== asked[key],
  )
  if (isImpossible) return undefined
  return {
    labels: { ...asked, ...allowed },
    metadata: without(metadata, asked),
    filter: without(filter, allowed),
  }
}

const hasFields = (object: JsonObject) => Object.keys(object).length > 0

function plainConditions(filter: MetadataFilter): JsonObject {
  const plain = Object.entries(filter).flatMap(([key, condition]): [string, JsonValue][] => {
    if (typeof condition === 'string') return [[key, condition]]
    return !Array.isArray(condition) && '$eq' in condition ? [[key, condition.$eq]] : []
  })
  return Object.fromEntries(plain)
}

/** The fields whose keys are not in `taken`. */
export function without<T>(fields: Record<string, T>, taken: object): Record<string, T> {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !Object.hasOwn(taken, key)))
}

/** Longer values do not become labels. */
const MAX_LABEL_LENGTH = 256

/** The plain values at the top level of an object, each as JSON. */
export function labelsOf(metadata: JsonObject): Record<string, string> {
  const labels = Object.entries(metadata).flatMap(([key, value]): [string, string][] => {
    if (Array.isArray(value) || isObject(value)) return []
    const text = isExactNumber(value) ? numberText(value) : JSON.stringify(value)
    const isWorthIt = key.length + text.length <= MAX_LABEL_LENGTH
    return isWorthIt && isStorable(key) ? [[key, text]] : []
  })
  return Object.fromEntries(labels)
}

/** More rows than this with one label are not counted. */
export const COMMON = 1_000

export interface CountedLabel {
  key: string
  value: string
  /** How many rows have it, counted up to `COMMON` + 1. */
  count: number
}

/** The rarest label first. */
export async function countLabels(
  tx: Db,
  table: 'assistant_labels' | 'thread_labels',
  labels: Record<string, string>,
): Promise<CountedLabel[]> {
  if (Object.keys(labels).length === 0) return []
  const sql = `
    SELECT label.key, label.value, (
      SELECT count(*) FROM (
        SELECT 1 FROM ${table} AS l
        WHERE l.key = label.key AND l.value = label.value LIMIT ${COMMON + 1}
      ) AS counted
    ) AS count
    FROM ${tx.json.entries('$1')} AS label ORDER BY count`
  return tx.all<CountedLabel>(sql, [JSON.stringify(labels)])
}

/**
 * JSON can contain escapes that the text of a database cannot hold: U+0000, and half of a surrogate
 * pair.
 */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

function splitFilter(filter: MetadataFilter): {
  contained: JsonObject
  equal: JsonObject
  joined: ['OR' | 'AND', MetadataFilter[]][]
} {
  const contained: [string, JsonValue][] = []
  const equal: [string, JsonValue][] = []
  const joined: ['OR' | 'AND', MetadataFilter[]][] = []
  for (const [key, condition] of Object.entries(filter)) {
    if (typeof condition === 'string') contained.push([key, condition])
    else if (Array.isArray(condition)) joined.push([key === '$or' ? 'OR' : 'AND', condition])
    else if ('$eq' in condition) equal.push([key, condition.$eq])
    else contained.push([key, [condition.$contains].flat() as JsonValue[]])
  }
  return { contained: Object.fromEntries(contained), equal: Object.fromEntries(equal), joined }
}

/** PostgreSQL's own SQL, as the members of `Db` return it. */
import type { Db, JsonSql, RowLocks, VectorSql } from '../db.ts'

/** Columns are text, so that what is stored comes back unchanged. */
export const json: JsonSql = {
  texts: (array) => `(SELECT jsonb_array_elements_text(${parsed(array)}))`,
  entries: (object) => `json_each_text(CAST(${object} AS TEXT)::json)`,
  fieldsEqual: (object, wanted) =>
    // OFFSET 0: the object is parsed once, not for each field.
    `NOT EXISTS (
      SELECT 1 FROM (SELECT ${parsed(object)} AS value OFFSET 0) AS object, jsonb_each(${parsed(wanted)}) AS wanted
      WHERE object.value -> wanted.key IS DISTINCT FROM wanted.value)`,
  contains: (document, wanted) => `coalesce(${parsed(document)} @> ${parsed(wanted)}, FALSE)`,
}

/**
 * JSON allows U+0000 and lone surrogates, `jsonb` does not. Both become the replacement character, in the
 * searched text and in the search. Our JSON escapes only these above ASCII.
 */
function parsed(text: string): string {
  const cast = `CAST(${text} AS TEXT)`
  return `(CASE WHEN strpos(${cast}, '\\u') = 0 THEN ${cast}
    ELSE regexp_replace(${cast}, '\\\\u(0000|[dD][89a-fA-F]..)', '\\ufffd', 'g') END)::jsonb`
}

export const rowLocks: RowLocks = {
  wait: ' FOR NO KEY UPDATE',
  skip: ' FOR NO KEY UPDATE SKIP LOCKED',
}

export const nowMs = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)'

const SIZE = `
SELECT CAST(coalesce(sum(pg_total_relation_size(c.oid)), 0) AS BIGINT) AS bytes
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = current_schema() AND c.relkind = 'r'`

/** The size of the schema's tables with their indexes. */
export async function sizeOf(db: Db): Promise<number> {
  const row = await db.get<{ bytes: number }>(SIZE)
  return Number(row?.bytes ?? 0)
}

const asText = (bytes: string) => `convert_from(${bytes}, 'UTF8')`
const asArray = (bytes: string) => `translate(${asText(bytes)}, '[]', '{}')::float8[]`

const encode: VectorSql['encode'] = (vector) => Buffer.from(JSON.stringify(vector))

const byExtension: VectorSql = {
  encode,
  cosineDistance: (vector, other) =>
    `nullif(${asText(vector)}::vector <=> ${asText(other)}::vector, 'NaN')`,
}

const byHand: VectorSql = {
  encode,
  cosineDistance: (vector, other) => `(
    SELECT 1 - sum(a * b) / nullif(sqrt(sum(a * a)) * sqrt(sum(b * b)), 0)
    FROM unnest(${asArray(vector)}, ${asArray(other)}) AS pair (a, b))`,
}

/**
 * Vectors on PostgreSQL. They are stored as bytes: the text of a list. pgvector compares them if the
 * extension is there; otherwise SQL compares number by number, which takes a hundred times as long.
 */
export async function findVectors(db: Db): Promise<VectorSql> {
  const extension = await db.get("SELECT 1 FROM pg_extension WHERE extname = 'vector'")
  return extension ? byExtension : byHand
}

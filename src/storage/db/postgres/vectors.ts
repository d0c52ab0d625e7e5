/**
 * Vectors on PostgreSQL. They are stored as bytes: the text of a list. pgvector compares them if the
 * extension is there; otherwise SQL compares number by number, which takes a hundred times as long.
 */
import type { Db, VectorSql } from '../db.ts'

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

export async function findVectors(db: Db): Promise<VectorSql> {
  const extension = await db.get("SELECT 1 FROM pg_extension WHERE extname = 'vector'")
  return extension ? byExtension : byHand
}

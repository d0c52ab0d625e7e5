/** The JSON fragments on PostgreSQL. Columns are text, so that what is stored comes back unchanged. */
import type { JsonSql } from '../db.ts'

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

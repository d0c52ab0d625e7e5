/** The JSON fragments on PostgreSQL, over columns of text: what is stored comes back as it was. */
import type { JsonSql } from '../db.ts'

export const json: JsonSql = {
  texts: (array) => `(SELECT jsonb_array_elements_text(${parsed(array)}))`,
  entries: (object) => `json_each_text(CAST(${object} AS TEXT)::json)`,
  fieldEquals: (object, key, value) =>
    `coalesce(${parsed(object)} -> CAST(${key} AS TEXT) = ${parsed(value)}, FALSE)`,
  contains: (document, wanted) => `coalesce(${parsed(document)} @> ${parsed(wanted)}, FALSE)`,
}

/**
 * JSON knows the character U+0000 and lone surrogates, `jsonb` does not: both become the replacement
 * character, in what is searched and in what is searched for. Our JSON escapes nothing above ASCII
 * but these.
 */
function parsed(text: string): string {
  const cast = `CAST(${text} AS TEXT)`
  return `(CASE WHEN strpos(${cast}, '\\u') = 0 THEN ${cast}
    ELSE regexp_replace(${cast}, '\\\\u(0000|[dD][89a-fA-F]..)', '\\ufffd', 'g') END)::jsonb`
}

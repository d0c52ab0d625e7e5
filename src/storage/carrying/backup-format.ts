/**
 * What a backup looks like: a .tar.gz with these files, in this order.
 *
 * ```
 * backup.json                     the head: which form, of what, when
 * databases/<id>/tables.json      the tables of one database; `control-plane`, `agent-server` or a deployment's id
 * databases/<id>/<table>/<n>.jsonl  its rows, a JSON array each, in the order of the columns; bytes in base64
 * uploads/<object path>           tarballs that deployments were made of
 * keys/encryption.key …           only when asked for
 * manifest.json                   how much of everything there is, with digests: a backup without it is cut off
 * ```
 */
import { z } from 'zod'
import { DATABASE_KINDS } from './contents.ts'

/** The one form that this code writes and reads. */
export const FORMAT = 1

export const HEAD = 'backup.json'
export const MANIFEST = 'manifest.json'
export const UPLOADS = 'uploads/'
export const KEYS = 'keys/'

/** A valid name of a folder. */
const ID = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/)
const TABLE_NAME = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/)
const COUNT = z.number().int().nonnegative()

export const headSchema = z.object({
  format: z.number(),
  runyard: z.string(),
  created_at: z.string(),
  /** The kind of database it was made from. It may be restored into either kind. */
  database: z.enum(['sqlite', 'postgres']),
  kind: z.enum(['installation', 'agent-server']),
  /** A text that only the right encryption key opens; `null`: of an agent server, which has none. */
  probe: z.string().nullable(),
  with_keys: z.boolean(),
})

const tableSchema = z.object({
  name: TABLE_NAME,
  columns: z.array(
    z.object({ name: TABLE_NAME, kind: z.enum(['integer', 'real', 'text', 'bytes', 'vector']) }),
  ),
  key: z.array(TABLE_NAME).min(1),
  numbered: TABLE_NAME.optional(),
  /** The highest number that it has given to a row. */
  last_number: COUNT,
})

export const tablesSchema = z.object({
  id: ID,
  name: z.string(),
  kind: z.enum(DATABASE_KINDS),
  /** The version of its schema. */
  version: z.number().int().positive(),
  groups: z.array(z.array(tableSchema)),
})

export const manifestSchema = z.object({
  databases: z.array(
    z.object({
      id: ID,
      tables: z.array(z.object({ name: TABLE_NAME, rows: COUNT, digest: z.string() })),
    }),
  ),
  files: z.array(z.object({ path: z.string(), bytes: COUNT, sha256: z.string() })),
})

export type Head = z.infer<typeof headSchema>
export type Manifest = z.infer<typeof manifestSchema>

export const tablesPath = (id: string) => `databases/${id}/tables.json`
export const rowsPath = (id: string, table: string, n: number) =>
  `databases/${id}/${table}/${String(n).padStart(6, '0')}.jsonl`

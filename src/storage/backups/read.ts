/** Reads a backup part by part. It trusts no content before it has checked it. */
import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { AppError } from '../../core/errors.ts'
import type { Row } from '../../core/picture.ts'
import { RowDigest } from '../transfer/digest.ts'
import { fromLine, toLine } from '../transfer/lines.ts'
import {
  type BackupTable,
  FORMAT,
  HEAD,
  type Head,
  headSchema,
  KEYS,
  MANIFEST,
  type Manifest,
  manifestSchema,
  type Tables,
  tablesSchema,
  UPLOADS,
} from './format.ts'
import { type ReadPart, readTar } from './tar-stream.ts'

/** The most bytes of a part with rows, or with JSON. */
const MAX_TEXT_BYTES = 512 * 1024 ** 2

const MAX_KEY_BYTES = 65_536

/** In the order of the archive. */
export type Content =
  | { kind: 'head'; head: Head }
  | { kind: 'tables'; tables: Tables }
  | { kind: 'rows'; database: string; table: BackupTable; rows: Row[] }
  | FileContent
  | { kind: 'manifest'; manifest: Manifest }

/** Its body can be read until the next content is requested. */
export interface FileContent {
  kind: 'file'
  path: string
  bytes: number
  body: AsyncIterable<Uint8Array>
}

/** Throws `bad_request` for anything that is no sound backup. */
export async function* readContent(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Content> {
  let tables: Tables | undefined
  let isFirst = true
  for await (const part of readTar(archive)) {
    if (isFirst !== (part.path === HEAD)) throw unsound(`${part.path} is not where it should be`)
    isFirst = false
    if (part.path === HEAD) yield { kind: 'head', head: await readHead(part) }
    else if (part.path === MANIFEST) {
      yield { kind: 'manifest', manifest: await parsed(part, manifestSchema) }
    } else if (part.path.endsWith('/tables.json')) {
      tables = await parsed(part, tablesSchema)
      yield { kind: 'tables', tables }
    } else if (part.path.startsWith('databases/')) yield readRows(await textOf(part), part, tables)
    else if (part.path.startsWith(UPLOADS) || part.path.startsWith(KEYS)) {
      yield { kind: 'file', ...part }
    } else throw unsound(`${part.path} is not known`)
  }
}

async function readHead(part: ReadPart): Promise<Head> {
  const head = await parsed(part, headSchema)
  if (head.format === FORMAT) return head
  const what = `The backup has the form ${head.format}, this Runyard reads ${FORMAT}: restore it with the version that made it (${head.runyard}) or a newer one.`
  throw new AppError('bad_request', what)
}

function readRows(text: string, { path }: ReadPart, tables: Tables | undefined): Content {
  const [, database, name] = path.split('/')
  const table = tables?.groups.flat().find((one) => one.name === name)
  if (!table || database === undefined || tables?.id !== database) {
    throw unsound(`${path} is not where it should be`)
  }
  const lines = text.split('\n').slice(0, -1)
  return { kind: 'rows', database, table, rows: lines.map((line) => fromLine(line, table)) }
}

async function parsed<T extends z.ZodType>(part: ReadPart, schema: T): Promise<z.infer<T>> {
  const text = await textOf(part)
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    throw unsound(`${part.path} cannot be read`, cause)
  }
}

async function textOf({ path, bytes, body }: ReadPart): Promise<string> {
  if (bytes > MAX_TEXT_BYTES) throw unsound(`${path} is too large`)
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

export interface Verified {
  head: Head
  databases: Tables[]
  manifest: Manifest
  rows: number
  /** The files with keys, by name. */
  keys: ReadonlyMap<string, string>
}

/** Reads all of it, and compares it with its manifest. Throws `bad_request` when anything is missing or has changed. */
export async function verifyBackup(
  archive: AsyncIterable<Uint8Array>,
  onRows: (count: number) => void = () => {},
): Promise<Verified> {
  const sums = new Sums()
  let head: Head | undefined
  let manifest: Manifest | undefined
  for await (const content of readContent(archive)) {
    if (manifest) throw unsound('something follows its manifest')
    if (content.kind === 'head') head = content.head
    else if (content.kind === 'tables') sums.begin(content.tables)
    else if (content.kind === 'rows') {
      sums.add(content.table, content.rows)
      onRows(content.rows.length)
    } else if (content.kind === 'file') await sums.addFile(content)
    else manifest = content.manifest
  }
  if (!head || !manifest) throw unsound('it is cut off')
  sums.compare(manifest)
  return { head, manifest, databases: sums.databases, rows: sums.rows, keys: sums.keys }
}

class Sums {
  readonly databases: Tables[] = []
  readonly #digests: Map<string, RowDigest>[] = []
  readonly #files: Manifest['files'] = []
  readonly keys = new Map<string, string>()
  rows = 0

  begin(tables: Tables): void {
    if (this.databases.some(({ id }) => id === tables.id))
      throw unsound(`${tables.id} is there twice`)
    this.databases.push(tables)
    this.#digests.push(new Map(tables.groups.flat().map(({ name }) => [name, new RowDigest()])))
  }

  add({ name }: BackupTable, rows: readonly Row[]): void {
    const digest = this.#digests.at(-1)?.get(name)
    for (const row of rows) digest?.add(toLine(row))
    this.rows += rows.length
  }

  async addFile({ path, bytes, body }: FileContent): Promise<void> {
    const hash = createHash('sha256')
    const isKey = path.startsWith(KEYS)
    if (isKey && bytes > MAX_KEY_BYTES) throw unsound(`${path} is too large`)
    for await (const chunk of body) {
      hash.update(chunk)
      if (isKey) this.#takeKey(path.slice(KEYS.length), chunk)
    }
    this.#files.push({ path, bytes, sha256: hash.digest('hex') })
  }

  #takeKey(name: string, chunk: Uint8Array): void {
    this.keys.set(name, (this.keys.get(name) ?? '') + Buffer.from(chunk).toString('utf8'))
  }

  compare(manifest: Manifest): void {
    const databases = this.databases.map(({ id, groups }, index) => ({
      id,
      tables: groups.flat().map((table) => {
        const digest = this.#digests[index]?.get(table.name) ?? new RowDigest()
        return { name: table.name, rows: digest.rows, digest: digest.toString(table) }
      }),
    }))
    const found: Manifest = { databases, files: this.#files }
    if (JSON.stringify(found) !== JSON.stringify(manifest)) {
      throw unsound('its content is not what its manifest says')
    }
  }
}

function unsound(why: string, cause?: unknown): AppError {
  return new AppError('bad_request', `This is no sound backup: ${why}.`, { cause })
}

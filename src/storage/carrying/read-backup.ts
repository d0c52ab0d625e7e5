/**
 * Reads a backup part by part, verifies it, and fills empty databases with it. It trusts no content before it has
 * checked it.
 */
import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { AppError } from '../../core/errors.ts'
import type { Hold } from '../migrations/hold.ts'
import {
  FORMAT,
  HEAD,
  type Head,
  headSchema,
  KEYS,
  MANIFEST,
  type Manifest,
  manifestSchema,
  tablesSchema,
  UPLOADS,
} from './backup-format.ts'
import { carry, type Migrations, type Progress, prepareTarget } from './carry.ts'
import { sumRows } from './read-table.ts'
import { fromLine } from './rows.ts'
import { type Content, firstOf, type Side, stateOf, type Tables } from './side.ts'
import type { Table } from './tables.ts'
import { type ReadPart, readTar } from './tar-stream.ts'

/** The most bytes of a part with rows, or with JSON. */
const MAX_TEXT_BYTES = 512 * 1024 ** 2

const MAX_KEY_BYTES = 65_536

/** What is beside the databases. The body of a file can be read until its call ends. */
interface Others {
  head?(head: Head): void
  file(file: ReadPart): Promise<void>
  manifest?(manifest: Manifest): void
}

/**
 * The databases of the archive, each of which must be read before the next one is requested. Throws `bad_request` for
 * anything that is no sound backup.
 */
async function* readBackup(
  archive: AsyncIterable<Uint8Array>,
  others: Others,
): AsyncGenerator<Content> {
  const parts = readTar(archive)
  let next = await parts.next()
  if (next.done || next.value.path !== HEAD) throw unsound(`${HEAD} is not its first file`)
  others.head?.(await readHead(next.value))
  for (next = await parts.next(); !next.done && next.value.path.startsWith('databases/'); ) {
    const tables = await parsed(next.value, tablesSchema)
    const folder = `databases/${tables.id}/`
    if (next.value.path !== `${folder}tables.json`) throw misplaced(next.value)
    next = await parts.next()
    yield {
      ...tables,
      async *rows(table) {
        while (!next.done && next.value.path.startsWith(`${folder}${table.name}/`)) {
          yield rowsOf(await textOf(next.value), table)
          next = await parts.next()
        }
      },
    }
  }
  for (; !next.done; next = await parts.next()) {
    const { path } = next.value
    if (path === MANIFEST) break
    if (!path.startsWith(UPLOADS) && !path.startsWith(KEYS)) throw misplaced(next.value)
    await others.file(next.value)
  }
  if (next.done) throw unsound('it is cut off')
  others.manifest?.(await parsed(next.value, manifestSchema))
  if (!(await parts.next()).done) throw unsound('something follows its manifest')
}

async function readHead(part: ReadPart): Promise<Head> {
  const head = await parsed(part, headSchema)
  if (head.format === FORMAT) return head
  const what = `The backup has the form ${head.format}, this Runyard reads ${FORMAT}: restore it with the version that made it (${head.runyard}) or a newer one.`
  throw new AppError('bad_request', what)
}

function rowsOf(text: string, table: Table) {
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) => fromLine(line, table))
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
  const found: Manifest = { databases: [], files: [] }
  const [databases, keys]: [Tables[], Map<string, string>] = [[], new Map()]
  let [head, manifest]: [Head?, Manifest?] = []
  const reading = readBackup(archive, {
    head(one) {
      head = one
    },
    async file(file) {
      found.files.push(await sumOfFile(file, keys))
    },
    manifest(one) {
      manifest = one
    },
  })
  for await (const { rows, ...database } of reading) {
    const { id, groups } = database
    if (databases.some((other) => other.id === id)) throw unsound(`${id} is there twice`)
    databases.push(database)
    const tables: Manifest['databases'][number]['tables'] = []
    for (const table of groups.flat()) {
      tables.push({ name: table.name, ...(await sumRows(rows(table), table, onRows)) })
    }
    found.databases.push({ id, tables })
  }
  if (!head || !manifest) throw unsound('it is cut off')
  if (JSON.stringify(found) !== JSON.stringify(manifest)) {
    throw unsound('its content is not what its manifest says')
  }
  const counts = found.databases.flatMap(({ tables }) => tables.map((table) => table.rows))
  return { head, manifest, databases, rows: counts.reduce((sum, count) => sum + count, 0), keys }
}

/** Keeps the text of a key. */
async function sumOfFile({ path, bytes, body }: ReadPart, keys: Map<string, string>) {
  const hash = createHash('sha256')
  const isKey = path.startsWith(KEYS)
  if (isKey && bytes > MAX_KEY_BYTES) throw unsound(`${path} is too large`)
  const name = path.slice(KEYS.length)
  for await (const chunk of body) {
    hash.update(chunk)
    if (isKey) keys.set(name, (keys.get(name) ?? '') + Buffer.from(chunk).toString('utf8'))
  }
  return { path, bytes, sha256: hash.digest('hex') }
}

interface RestoreParts {
  target: Side
  migrations: Migrations
  backup: Verified
  /** The same archive once more. */
  archive: AsyncIterable<Uint8Array>
  /** Takes the files beside the databases. */
  takeFile(file: ReadPart): Promise<void>
  progress: Progress
}

const ID_PREFIX = 'restore-'

/** Whether the target holds an unfinished restore. */
export async function isUnfinished(target: Side): Promise<boolean> {
  const { hold } = await stateOf(target, firstOf(target))
  return hold !== undefined && isOfRestore(hold)
}

function isOfRestore({ reason, id }: Hold): boolean {
  return (reason === 'filling' || reason === 'filled') && id.startsWith(ID_PREFIX)
}

/**
 * Fills the target with a verified backup. While it runs, and after it was killed, no Runyard starts there; the next
 * restore removes what is there and begins again. Throws `conflict` when the target has content, and when the backup is
 * of a newer Runyard.
 */
export async function restoreBackup(parts: RestoreParts): Promise<void> {
  const { target, migrations, backup, archive, takeFile, progress } = parts
  const { databases, manifest } = backup
  const id = `${ID_PREFIX}${createHash('sha256').update(JSON.stringify(manifest)).digest('hex')}`
  const message = 'This is a restore that was not ended: run the same "runyard restore" again.'
  const common = { target, databases, migrations }
  const isFilled = await prepareTarget({ ...common, id, mayRemove: isOfRestore })
  await carry({
    ...{ ...common, isFilled, contents: readBackup(archive, { file: takeFile }), progress },
    ...{ hold: { id, message }, filling: 'restoring' },
    withSums(database, work) {
      const tables = manifest.databases.find(({ id }) => id === database.id)?.tables
      return work(async ({ name }) => {
        const sum = tables?.find((table) => table.name === name)
        if (sum) return sum
        throw new AppError('internal', `The backup's manifest lacks the table ${name}.`)
      })
    },
  })
}

function misplaced({ path }: ReadPart): AppError {
  return unsound(`${path} is not known, or not where it should be`)
}

function unsound(why: string, cause?: unknown): AppError {
  return new AppError('bad_request', `This is no sound backup: ${why}.`, { cause })
}

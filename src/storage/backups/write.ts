/** Writes a picture of an installation as a backup. */
import { createHash } from 'node:crypto'
import type { Table } from '../../core/picture.ts'
import { lastNumber } from '../transfer/counters.ts'
import { RowDigest } from '../transfer/digest.ts'
import { toLine } from '../transfer/lines.ts'
import type { Pictured } from '../transfer/picture.ts'
import { readBatches } from '../transfer/read.ts'
import {
  HEAD,
  type Head,
  MANIFEST,
  type Manifest,
  rowsPath,
  type Tables,
  tablesPath,
} from './format.ts'
import { type Part, writeTar } from './tar-stream.ts'

interface BackupContent {
  head: Head
  databases: readonly Pictured[]
  /** Files beside the databases, each under its path in the backup. */
  files: AsyncIterable<Part>
  /** Called with what is being written, and how much of it. */
  onProgress: (progress: BackupProgress) => void
}

export type BackupProgress =
  | { step: 'table'; member: string; table: string }
  | { step: 'rows'; count: number }
  | { step: 'file'; path: string }

/** The archive, not compressed. `onEnd` gets its manifest. */
export function writeBackup(
  content: BackupContent,
  onEnd: (manifest: Manifest) => void,
): AsyncGenerator<Uint8Array> {
  return writeTar(partsOf(content, onEnd))
}

async function* partsOf(
  { head, databases, files, onProgress }: BackupContent,
  onEnd: (manifest: Manifest) => void,
): AsyncGenerator<Part> {
  const manifest: Manifest = { databases: [], files: [] }
  yield json(HEAD, head)
  for (const database of databases) {
    yield json(tablesPath(database.member.id), await tablesOf(database))
    const tables: Manifest['databases'][number]['tables'] = []
    for (const table of database.groups.flat()) {
      onProgress({ step: 'table', member: database.member.name, table: table.name })
      const digest = new RowDigest()
      yield* rowsOf(database, table, { digest, onProgress })
      tables.push({ name: table.name, rows: digest.rows, digest: digest.toString(table) })
    }
    manifest.databases.push({ id: database.member.id, tables })
  }
  for await (const { path, bytes, body } of files) {
    onProgress({ step: 'file', path })
    const hash = createHash('sha256')
    yield { path, bytes, body: hashed(body, hash) }
    manifest.files.push({ path, bytes, sha256: hash.digest('hex') })
  }
  yield json(MANIFEST, manifest)
  onEnd(manifest)
}

async function tablesOf({ member, place, version, groups }: Pictured): Promise<Tables> {
  const described = groups.map((group) =>
    Promise.all(
      group.map(async (table) => ({
        ...table,
        columns: [...table.columns],
        key: [...table.key],
        last_number: await lastNumber(place, table),
      })),
    ),
  )
  return { ...member, version, groups: await Promise.all(described) }
}

/** One part for each batch. */
async function* rowsOf(
  { member, place }: Pictured,
  table: Table,
  { digest, onProgress }: { digest: RowDigest; onProgress: BackupContent['onProgress'] },
): AsyncGenerator<Part> {
  let n = 0
  for await (const { rows } of readBatches(place, table)) {
    const lines = rows.map((row) => {
      const line = toLine(row)
      digest.add(line)
      return Buffer.from(`${line}\n`)
    })
    const bytes = lines.reduce((sum, line) => sum + line.length, 0)
    n += 1
    yield { path: rowsPath(member.id, table.name, n), bytes, body: [Buffer.concat(lines)] }
    onProgress({ step: 'rows', count: rows.length })
  }
}

function json(path: string, value: unknown): Part {
  const body = Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`)
  return { path, bytes: body.length, body: [body] }
}

async function* hashed(body: Part['body'], hash: ReturnType<typeof createHash>) {
  for await (const chunk of body) {
    hash.update(chunk)
    yield chunk
  }
}

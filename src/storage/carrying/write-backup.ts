/** Writes everything of an installation as a backup. */
import { createHash } from 'node:crypto'
import { HEAD, type Head, MANIFEST, type Manifest, rowsPath, tablesPath } from './backup-format.ts'
import type { Progress } from './carry.ts'
import { RowDigest, type TableSum, toLine } from './rows.ts'
import type { Content } from './side.ts'
import type { Table } from './tables.ts'
import { type Part, writeTar } from './tar-stream.ts'

interface BackupContent {
  head: Head
  databases: readonly Content[]
  /** Files beside the databases, each under its path in the backup. */
  files: AsyncIterable<Part>
  progress: Progress
}

/** The archive, not compressed. `onEnd` gets its manifest. */
export function writeBackup(
  content: BackupContent,
  onEnd: (manifest: Manifest) => void,
): AsyncGenerator<Uint8Array> {
  return writeTar(partsOf(content, onEnd))
}

async function* partsOf(
  { head, databases, files, progress }: BackupContent,
  onEnd: (manifest: Manifest) => void,
): AsyncGenerator<Part> {
  const manifest: Manifest = { databases: [], files: [] }
  yield json(HEAD, head)
  for (const content of databases) {
    const { id, name, kind, version, groups } = content
    yield json(tablesPath(id), { id, name, kind, version, groups })
    progress.step(`reading ${name}`)
    const tables: Manifest['databases'][number]['tables'] = []
    for (const table of groups.flat()) {
      progress.table(table.name)
      tables.push({ name: table.name, ...(yield* rowsOf(content, table, progress)) })
    }
    manifest.databases.push({ id, tables })
  }
  for await (const { path, bytes, body } of files) {
    progress.step('files')
    const hash = createHash('sha256')
    yield { path, bytes, body: hashed(body, hash) }
    manifest.files.push({ path, bytes, sha256: hash.digest('hex') })
  }
  yield json(MANIFEST, manifest)
  onEnd(manifest)
}

/** One part for each batch. */
async function* rowsOf(
  { id, rows: read }: Content,
  table: Table,
  progress: Progress,
): AsyncGenerator<Part, TableSum> {
  const digest = new RowDigest()
  let n = 0
  for await (const rows of read(table)) {
    const lines = rows.map((row) => {
      const line = toLine(row)
      digest.add(line)
      return `${line}\n`
    })
    const body = Buffer.from(lines.join(''))
    n += 1
    yield { path: rowsPath(id, table.name, n), bytes: body.length, body: [body] }
    progress.rows(rows.length)
  }
  return digest.sum(table)
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

/** `runyard backup`: a whole installation in one file, also while it runs. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock, timestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { BackupConfig } from '../../settings/config.ts'
import {
  FORMAT,
  type Head,
  KEYS,
  type Manifest,
  UPLOADS,
} from '../../storage/carrying/backup-format.ts'
import { type Pictured, takePicture } from '../../storage/carrying/picture.ts'
import { qualified } from '../../storage/carrying/tables.ts'
import type { Part } from '../../storage/carrying/tar-stream.ts'
import { writeBackup } from '../../storage/carrying/write-backup.ts'
import { readVersion } from '../../version.ts'
import { formatKeys } from '../installation/key-file.ts'
import { openUploads, type Uploads } from '../uploads.ts'
import { type BackupPlace, backupPlace } from './places.ts'
import type { Reporter } from './reporter.ts'
import { sideOf } from './sides.ts'

interface BackedUp {
  /** `undefined`: standard output. */
  where: string | undefined
  bytes: number
  databases: number
  rows: number
  files: number
  created_at: string
  with_keys: boolean
}

/**
 * Throws `conflict` when there is nothing to back up, when the file exists, and while the installation is being moved
 * or restored.
 */
export async function startBackup(
  config: BackupConfig,
  options: { withKeys: boolean; reporter: Reporter },
): Promise<BackedUp> {
  const created_at = timestamp(systemClock)
  const place = await backupPlace(config, { created_at })
  const keys = options.withKeys ? keysOf(config) : []
  const side = sideOf(config)
  return takePicture(side, async (databases) => {
    const [first] = databases
    for (const { hold } of databases) if (hold) throw new AppError('conflict', hold.message)
    const uploads = await openUploads(config)
    const head: Head = {
      format: FORMAT,
      runyard: readVersion(),
      created_at,
      database: side.dialect,
      kind: first?.kind === 'control-plane' ? 'installation' : 'agent-server',
      probe: first ? await probeOf(first) : null,
      with_keys: keys.length > 0,
    }
    const { bytes, manifest } = await put(place, {
      head,
      databases,
      files: filesOf(first, { uploads, keys }),
      progress: options.reporter,
    })
    const { with_keys } = head
    return { where: place.name, bytes, ...countsOf(manifest), created_at, with_keys }
  })
}

async function put(place: BackupPlace, content: Parameters<typeof writeBackup>[0]) {
  let manifest: Manifest = { databases: [], files: [] }
  const archive = writeBackup(content, (found) => {
    manifest = found
  })
  return { bytes: await place.put(archive), manifest }
}

function countsOf({ databases, files }: Manifest) {
  const tables = databases.flatMap((database) => database.tables)
  return {
    databases: databases.length,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    files: files.length,
  }
}

/** A value that only the right encryption key opens. */
async function probeOf({ kind, place }: Pictured): Promise<string | null> {
  if (kind !== 'control-plane') return null
  const row = await place.reader.get<{ sealed: string }>(
    `SELECT sealed FROM ${qualified(place, 'encryption_probe')}`,
  )
  return row?.sealed ?? null
}

async function* filesOf(
  first: Pictured | undefined,
  { uploads, keys }: { uploads: Uploads; keys: readonly Part[] },
): AsyncGenerator<Part> {
  if (first?.kind === 'control-plane') yield* uploadsOf(first, uploads)
  yield* keys
}

/** Complete uploads that still exist: the uploads of a deployment that was removed since are gone. */
async function* uploadsOf({ place }: Pictured, uploads: Uploads): AsyncGenerator<Part> {
  const rows = await place.reader.all<{ object_path: string }>(
    `SELECT object_path FROM ${qualified(place, 'uploads')} WHERE uploaded_at IS NOT NULL ORDER BY object_path`,
  )
  for (const { object_path } of rows) {
    const found = await uploads.get(object_path)
    if (found) yield { path: `${UPLOADS}${object_path}`, ...found }
  }
}

function keysOf({ dataDir, encryptionKey, oldEncryptionKeys }: BackupConfig): Part[] {
  const encryption = encryptionKey
    ? formatKeys([encryptionKey, ...oldEncryptionKeys])
    : read(join(dataDir, 'encryption.key'))
  const admin = read(join(dataDir, 'admin.key'))
  if (encryption === undefined) {
    const what = `There is no encryption key to put into the backup: ${dataDir} has no encryption.key, and RUNYARD_ENCRYPTION_KEY is not set.`
    throw new AppError('conflict', what)
  }
  return [
    keyPart('encryption.key', encryption),
    ...(admin === undefined ? [] : [keyPart('admin.key', admin)]),
  ]
}

function keyPart(name: string, text: string): Part {
  const body = Buffer.from(text)
  return { path: `${KEYS}${name}`, bytes: body.length, body: [body] }
}

function read(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

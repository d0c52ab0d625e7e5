/** `runyard restore`: makes an installation from a backup, in an empty place. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../core/errors.ts'
import type { RestoreConfig } from '../../settings/config.ts'
import { KEYS, UPLOADS } from '../../storage/carrying/backup-format.ts'
import {
  isUnfinished,
  restoreBackup,
  type Verified,
  verifyBackup,
} from '../../storage/carrying/read-backup.ts'
import { firstOf, type Side, stateOf } from '../../storage/carrying/side.ts'
import type { ReadPart } from '../../storage/carrying/tar-stream.ts'
import { PLACES } from '../../storage/control-plane/sealed-columns.ts'
import { createSecretBox } from '../../storage/control-plane/secret-box.ts'
import { parseKeys, readKeys } from '../installation/key-file.ts'
import { openUploads } from '../uploads.ts'
import { lockData } from './move.ts'
import { openBackup } from './places.ts'
import type { Reporter } from './reporter.ts'
import { MIGRATIONS, sideOf } from './sides.ts'

interface Restored {
  from: string
  to: string
  databases: number
  rows: number
  files: number
  /** When the backup was made. */
  created_at: string
}

const KEY_FILES = ['admin.key', 'encryption.key']
/** Files that the data folder may contain before: the operator's keys, and leftovers of a lock. */
const MAY_BE_THERE = [...KEY_FILES, 'instance.id', 'lock.db', 'lock.db-journal']

/**
 * Verifies the whole backup before anything is written. Throws `bad_request` for a damaged one, `conflict` when
 * the target is not empty, or when the encryption key is missing.
 */
export async function startRestore(
  config: RestoreConfig,
  options: { from: string; reporter: Reporter },
): Promise<Restored> {
  const { from, reporter } = options
  const source = await openBackup(from, config)
  try {
    reporter.step('verifying the backup')
    const backup = await verifyBackup(await source.read(), reporter.rows)
    checkKind(backup, config)
    checkKey(backup, config)
    await restore(config, { backup, archive: () => source.read(), reporter })
    const { head, rows, databases, manifest } = backup
    const counts = { databases: databases.length, rows, files: manifest.files.length }
    return { from, to: sideOf(config).name, ...counts, created_at: head.created_at }
  } finally {
    await source.close()
  }
}

interface Restoring {
  backup: Verified
  archive: () => Promise<AsyncIterable<Uint8Array>>
  reporter: Reporter
}

async function restore(config: RestoreConfig, { backup, archive, reporter }: Restoring) {
  const target = sideOf(config)
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const unlock = lockData(config)
  try {
    await checkFolder(config, target)
    const takeFile = await fileTaker(config)
    const common = { target, migrations: MIGRATIONS, backup, takeFile }
    await restoreBackup({ ...common, archive: later(archive), progress: reporter })
  } finally {
    unlock()
  }
}

/** Opens the archive at the first read: a store's download would not wait until it can be written. */
async function* later(archive: Restoring['archive']): AsyncGenerator<Uint8Array> {
  yield* await archive()
}

function checkKind({ head }: Verified, { isServe }: RestoreConfig): void {
  if (isServe === (head.kind === 'agent-server')) return
  const what = isServe
    ? 'The backup is of a whole installation: leave out --serve.'
    : 'The backup is of one agent server that ran by itself: restore it with --serve.'
  throw new AppError('bad_request', what)
}

/** The present keys must decrypt the backup's secrets; otherwise these would be lost. */
function checkKey({ head, keys }: Verified, config: RestoreConfig): void {
  if (head.probe === null) return
  const [present, ...older] = keysAt(config) ?? parseKeys(keys.get('encryption.key') ?? '')
  const mend = `set RUNYARD_ENCRYPTION_KEY, or put the encryption.key of the installation into ${config.dataDir}`
  if (!present) {
    const what = `The backup's secrets and tokens are encrypted, and it does not hold the key: ${mend}.`
    throw new AppError('conflict', what)
  }
  try {
    createSecretBox(present, older).open(head.probe, PLACES.probe())
  } catch (cause) {
    const what = `The encryption key at hand is not the one of the backup: ${mend}.`
    throw new AppError('conflict', what, { cause })
  }
}

/** `undefined`: there is no key here. */
function keysAt(config: RestoreConfig): Buffer[] | undefined {
  const { encryptionKey, oldEncryptionKeys, dataDir } = config
  if (encryptionKey) return [encryptionKey, ...oldEncryptionKeys]
  const file = join(dataDir, 'encryption.key')
  return existsSync(file) ? readKeys(file) : undefined
}

/** Checks the files of the folder; the databases are checked separately. */
async function checkFolder({ dataDir, isServe }: RestoreConfig, target: Side): Promise<void> {
  if (isServe || (await isUnfinished(target))) return
  const { isEmpty } = await stateOf(target, firstOf(target))
  const isOwn = (name: string) => isEmpty && name.startsWith('control-plane.db')
  const found = readdirSync(dataDir).filter((name) => !MAY_BE_THERE.includes(name) && !isOwn(name))
  if (found.length === 0) return
  const what = `The data folder ${dataDir} is not empty (${found.slice(0, 3).join(', ')}): choose another one with RUNYARD_DATA_DIR.`
  throw new AppError('conflict', what)
}

/** Stores tarballs in their place, and keys where none exist. */
async function fileTaker(config: RestoreConfig) {
  const uploads = await openUploads(config)
  return async ({ path, body }: ReadPart) => {
    if (path.startsWith(UPLOADS)) return uploads.put(path.slice(UPLOADS.length), body)
    const name = path.slice(KEYS.length)
    const file = join(config.dataDir, name)
    if (!KEY_FILES.includes(name) || existsSync(file)) return
    if (name === 'encryption.key' && config.encryptionKey) return
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    writeFileSync(file, Buffer.concat(chunks), { mode: 0o600, flag: 'wx' })
  }
}

/**
 * The key with which a standalone agent server encrypts credentials: `RUNYARD_ENCRYPTION_KEY`, else the one
 * in `encryption.key` of its data folder. That file is made when the first credentials are stored, so a server
 * without any needs no data folder for it.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../core/errors.ts'
import type { CreateSecretBox, CredentialBox, SecretBox } from '../../core/secret-box.ts'
import type { KeySettings } from './encryption-keys.ts'
import { formatKeys, KEY_BYTES, readKeys } from './key-file.ts'

/**
 * Also decrypts with the older keys, and with the file's key if the variable is set. Encrypting throws
 * `unavailable` when the file cannot be made, `bad_request` when it contains no key.
 */
export function createCredentialBox(keys: KeySettings, create: CreateSecretBox): CredentialBox {
  let found: SecretBox | undefined
  return {
    seal(plain, place) {
      if (!keys.encryptionKey) makeKey(keys.dataDir)
      found ??= boxOf(keys, create)
      return found.seal(plain, place)
    },
    open(sealed, place) {
      found ??= boxOf(keys, create)
      return found.open(sealed, place)
    },
  }
}

function boxOf(
  { dataDir, encryptionKey, oldEncryptionKeys }: KeySettings,
  create: CreateSecretBox,
): SecretBox {
  const given = encryptionKey ? [encryptionKey] : []
  const [present, ...older] = [...given, ...readKeys(fileIn(dataDir))]
  if (present) return create(present, [...older, ...oldEncryptionKeys])
  throw new AppError(
    'bad_request',
    `There is no encryption key in ${fileIn(dataDir)}: set RUNYARD_ENCRYPTION_KEY, or put the key back into the file.`,
  )
}

/** Several processes may do this at once: the first key stays, and the file is complete once it exists. */
function makeKey(dataDir: string): void {
  const file = fileIn(dataDir)
  if (existsSync(file)) return
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeOnce(file, formatKeys([randomBytes(KEY_BYTES)]))
  } catch (cause) {
    if (existsSync(file)) return
    throw new AppError(
      'unavailable',
      `The key that encrypts the credentials of push notifications cannot be kept in ${file}: set RUNYARD_ENCRYPTION_KEY.`,
      { cause },
    )
  }
}

/** Throws if the file exists. */
function writeOnce(file: string, text: string): void {
  const beside = `${file}.${randomUUID()}`
  try {
    writeFileSync(beside, text, { mode: 0o600, flush: true, flag: 'wx' })
    linkSync(beside, file)
  } finally {
    rmSync(beside, { force: true })
  }
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'encryption.key')
}

/**
 * The present and earlier encryption keys of an installation, and the change of keys.
 *
 * `encryption.key` contains the present key in its first line; keys that may still be in use follow, one a
 * line. A change writes the new key there first, then re-encrypts everything. The old key stays until the
 * next start, which checks once more while no other process writes. After a crash at any point, one of the
 * keys in the file decrypts each text.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import { AppError } from '../../core/errors.ts'
import type { CreateSecretBox, SecretBox } from '../../core/secret-box.ts'
import { formatKeys, KEY_BYTES, readKeys, replaceFile } from './key-file.ts'

export interface KeySettings {
  dataDir: string
  /** `RUNYARD_ENCRYPTION_KEY`; `undefined`: the keys are kept in `encryption.key`. */
  encryptionKey: Buffer | undefined
  /** `RUNYARD_ENCRYPTION_KEY_OLD`. */
  oldEncryptionKeys: readonly Buffer[]
}

export class EncryptionKeys {
  /** Encrypts with the present key, also after a change. */
  readonly box: SecretBox
  /** `undefined`: the keys come from the environment. */
  readonly #file: string | undefined
  #keys: Buffer[]
  #isChanging = false

  /** From `RUNYARD_ENCRYPTION_KEY` and `…_OLD`, else from `encryption.key`, made if missing. */
  constructor(options: KeySettings, createBox: CreateSecretBox) {
    const { dataDir, encryptionKey, oldEncryptionKeys } = options
    const file = join(dataDir, 'encryption.key')
    this.#file = encryptionKey ? undefined : file
    const [present, ...older] = encryptionKey ? [encryptionKey] : readOrMake(file)
    this.#keys = [present ?? refuseEmpty(file), ...older, ...oldEncryptionKeys]
    this.box = createBox(this.#keys[0] as Buffer, this.#keys.slice(1))
  }

  /** At a start: finishes an earlier change. Returns how many texts were re-encrypted. */
  async settle(store: ControlPlaneStore): Promise<number> {
    if (this.#keys.length === 1) return 0
    const count = await store.reseal()
    this.#keeping(this.#keys.slice(0, 1))
    return count
  }

  /**
   * Makes a new key and re-encrypts everything with it; returns how many texts. Throws `conflict` when the
   * key is set in the environment, or during another change.
   */
  async change(store: ControlPlaneStore): Promise<number> {
    if (!this.#file) throw isSetOutside()
    if (this.#isChanging) throw new AppError('conflict', 'The encryption key is being changed.')
    this.#isChanging = true
    try {
      const key = randomBytes(KEY_BYTES)
      this.#keeping([key, ...this.#keys])
      this.box.changeKey(key)
      return await store.reseal()
    } finally {
      this.#isChanging = false
    }
  }

  #keeping(keys: Buffer[]): void {
    if (this.#file) replaceFile(this.#file, formatKeys(keys))
    this.#keys = keys
  }
}

function readOrMake(file: string): Buffer[] {
  if (!existsSync(file)) replaceFile(file, formatKeys([randomBytes(KEY_BYTES)]))
  return readKeys(file)
}

function refuseEmpty(file: string): never {
  throw new AppError('bad_request', `${file} is empty: put the encryption key back into it.`)
}

function isSetOutside(): AppError {
  return new AppError(
    'conflict',
    'The encryption key is set by RUNYARD_ENCRYPTION_KEY: start with another one there, and this ' +
      'one in RUNYARD_ENCRYPTION_KEY_OLD.',
  )
}

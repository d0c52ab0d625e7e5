/**
 * Seals what must not stand readable in the database: AES-256-GCM, a fresh nonce each time.
 *
 * A sealed text reads `v1:<key id>:<nonce>:<tag>:<ciphertext>`, the last four in base64url. It is
 * bound to its place (`deployment/<id>/secrets`): copied to another row it does not open. The key
 * id tells which key sealed it, so that a later change of keys can find what is still to be sealed
 * anew.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { AppError } from '../core/errors.ts'

const VERSION = 'v1'
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const ENCODING = 'base64url'

export interface SecretBox {
  seal(plain: string, place: string): string
  /**
   * The text that was sealed for this place. Throws `internal` when it was sealed with another key
   * or for another place, was changed, or is no sealed text.
   */
  open(sealed: string, place: string): string
}

/** A box with this key: 32 bytes, or `bad_request`. */
export function createSecretBox(key: Buffer): SecretBox {
  if (key.length !== KEY_BYTES) {
    throw new AppError(
      'bad_request',
      `The encryption key has ${key.length} bytes where 32 are needed. Set ` +
        'RUNYARD_ENCRYPTION_KEY to the base64 form of 32 random bytes (openssl rand -base64 32).',
    )
  }
  const keyId = createHmac('sha256', key)
    .update('key id')
    .digest()
    .subarray(0, 6)
    .toString(ENCODING)
  return {
    seal: (plain, place) => [VERSION, keyId, ...encrypt(key, plain, place)].join(':'),
    open: (sealed, place) => decrypt(key, readEnvelope(sealed, keyId, place), place),
  }
}

interface Envelope {
  nonce: Buffer
  tag: Buffer
  ciphertext: Buffer
}

function encrypt(key: Buffer, plain: string, place: string): string[] {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(place))
  const ciphertext = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return [nonce, cipher.getAuthTag(), ciphertext].map((part) => part.toString(ENCODING))
}

function readEnvelope(sealed: string, keyId: string, place: string): Envelope {
  const [version, sealedWith, ...parts] = sealed.split(':')
  if (version !== VERSION || parts.length !== 3) {
    throw new AppError(
      'internal',
      `What is stored as ${place} is not sealed in the form ${VERSION}.`,
    )
  }
  if (sealedWith !== keyId) {
    throw new AppError(
      'internal',
      `${place} was sealed with the key ${sealedWith}, this is the key ${keyId}. ` +
        'Start with the RUNYARD_ENCRYPTION_KEY that the database was written with.',
    )
  }
  const [nonce, tag, ciphertext] = parts.map((part) => Buffer.from(part, ENCODING))
  return { nonce, tag, ciphertext } as Envelope
}

function decrypt(key: Buffer, { nonce, tag, ciphertext }: Envelope, place: string): string {
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(place)).setAuthTag(tag)
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
  } catch (cause) {
    const message = `${place} does not open: it was changed, or was sealed for another place.`
    throw new AppError('internal', message, { cause })
  }
}

/**
 * Encrypts what must not be readable in the database, with AES-256-GCM and a new nonce each time.
 *
 * An encrypted text is `v1:<key id>:<nonce>:<tag>:<ciphertext>`, the last four in base64url. It is bound
 * to its place (`deployment/<id>/secrets`): a copy in another row cannot be opened. The key id tells
 * which key was used, so that after a change of keys the remaining texts can be found.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import type { SecretBox } from '../../core/secret-box.ts'

const VERSION = 'v1'
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const ENCODING = 'base64url'

interface NamedKey {
  id: string
  key: Buffer
}

/**
 * Makes a box that encrypts with `key` and also opens texts of the older keys. Each has 32 bytes;
 * otherwise throws `bad_request`.
 */
export function createSecretBox(key: Buffer, older: readonly Buffer[] = []): SecretBox {
  let present = named(key)
  const known = [present, ...older.map(named)]
  return {
    get sealedPrefix() {
      return `${VERSION}:${present.id}:`
    },
    seal: (plain, place) => [VERSION, present.id, ...encrypt(present.key, plain, place)].join(':'),
    open: (sealed, place) => {
      const { sealedWith, ...envelope } = readEnvelope(sealed, place)
      const opening = known.find(({ id }) => id === sealedWith)
      if (!opening) throw unknownKey(place, sealedWith, present.id)
      return decrypt(opening.key, envelope, place)
    },
    changeKey: (next) => {
      present = named(next)
      known.unshift(present)
    },
  }
}

function named(key: Buffer): NamedKey {
  if (key.length !== KEY_BYTES) {
    throw new AppError(
      'bad_request',
      `The encryption key has ${key.length} bytes where 32 are needed. Set ` +
        'RUNYARD_ENCRYPTION_KEY to the base64 form of 32 random bytes (openssl rand -base64 32).',
    )
  }
  const digest = createHmac('sha256', key).update('key id').digest()
  return { key, id: digest.subarray(0, 6).toString(ENCODING) }
}

function unknownKey(place: string, sealedWith: string, present: string): AppError {
  return new AppError(
    'internal',
    `${place} was sealed with the key ${sealedWith}, this is the key ${present}. ` +
      'Start with the RUNYARD_ENCRYPTION_KEY that the database was written with, or name it in ' +
      'RUNYARD_ENCRYPTION_KEY_OLD.',
  )
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

function readEnvelope(sealed: string, place: string): Envelope & { sealedWith: string } {
  const [version, sealedWith = '', ...parts] = sealed.split(':')
  if (version !== VERSION || parts.length !== 3) {
    throw new AppError(
      'internal',
      `What is stored as ${place} is not sealed in the form ${VERSION}.`,
    )
  }
  const [nonce, tag, ciphertext] = parts.map((part) => Buffer.from(part, ENCODING))
  return { sealedWith, nonce, tag, ciphertext } as Envelope & { sealedWith: string }
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

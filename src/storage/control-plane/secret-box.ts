/**
 * Seals texts that must not be readable in the database: envelope encryption with AES-256-GCM.
 *
 * Each text is encrypted with a fresh key of its own, and that key with the installation's. A sealed text reads
 * `v2:<key id>:<wrapped key>:<nonce>:<tag>:<ciphertext>`, the last four in base64url. Both are bound to their place
 * (`deployment/<id>/secrets`): copied to another row they do not open. The key id names the key of the installation;
 * when that key changes, only the wrapped key is written again. `v1:<key id>:<nonce>:<tag>:<ciphertext>` is the older
 * form, without a key of its own.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import type { SecretBox } from '../../core/secret-box.ts'

const VERSION = 'v2'
const DIRECT = 'v1'
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
  const unwrap = ({ sealedWith, wrapped }: Envelope, place: string): Buffer => {
    const opening = known.find(({ id }) => id === sealedWith)
    if (!opening) throw unknownKey(place, sealedWith, present.id)
    return wrapped ? decrypt(opening.key, unpack(wrapped), place) : opening.key
  }
  const wrap = (own: Buffer, place: string) =>
    [VERSION, present.id, pack(encrypt(present.key, own, place))].join(':')
  const seal = (plain: string, place: string) => {
    const own = randomBytes(KEY_BYTES)
    return [wrap(own, place), ...texts(encrypt(own, Buffer.from(plain), place))].join(':')
  }
  const open = (sealed: string, place: string) => {
    const envelope = readEnvelope(sealed, place)
    return decrypt(unwrap(envelope, place), envelope.content, place).toString('utf8')
  }
  return {
    get sealedPrefix() {
      return `${VERSION}:${present.id}:`
    },
    seal,
    open,
    reseal: (sealed, place) => {
      const envelope = readEnvelope(sealed, place)
      if (!envelope.wrapped) return seal(open(sealed, place), place)
      return [wrap(unwrap(envelope, place), place), ...texts(envelope.content)].join(':')
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
    `${place} was encrypted with the key ${sealedWith}; the present key is ${present}. ` +
      'Start with the RUNYARD_ENCRYPTION_KEY that the database was written with, or name it in ' +
      'RUNYARD_ENCRYPTION_KEY_OLD.',
  )
}

interface Encrypted {
  nonce: Buffer
  tag: Buffer
  ciphertext: Buffer
}

interface Envelope {
  sealedWith: string
  /** The text's own key, encrypted; `undefined`: there is none, the older form. */
  wrapped: string | undefined
  content: Encrypted
}

function encrypt(key: Buffer, plain: Buffer, place: string): Encrypted {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(place))
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()])
  return { nonce, tag: cipher.getAuthTag(), ciphertext }
}

function decrypt(key: Buffer, { nonce, tag, ciphertext }: Encrypted, place: string): Buffer {
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(place)).setAuthTag(tag)
    return Buffer.concat([decipher.update(ciphertext), decipher.final()])
  } catch (cause) {
    const message = `${place} does not open: it was changed, or was sealed for another place.`
    throw new AppError('internal', message, { cause })
  }
}

function texts({ nonce, tag, ciphertext }: Encrypted): string[] {
  return [nonce, tag, ciphertext].map((part) => part.toString(ENCODING))
}

function pack({ nonce, tag, ciphertext }: Encrypted): string {
  return Buffer.concat([nonce, tag, ciphertext]).toString(ENCODING)
}

function unpack(text: string): Encrypted {
  const bytes = Buffer.from(text, ENCODING)
  const [tagAt, contentAt] = [NONCE_BYTES, NONCE_BYTES + TAG_BYTES]
  return {
    nonce: bytes.subarray(0, tagAt),
    tag: bytes.subarray(tagAt, contentAt),
    ciphertext: bytes.subarray(contentAt),
  }
}

function readEnvelope(sealed: string, place: string): Envelope {
  const [version, sealedWith = '', ...parts] = sealed.split(':')
  const isDirect = version === DIRECT
  if (!(isDirect ? parts.length === 3 : version === VERSION && parts.length === 4)) {
    throw new AppError(
      'internal',
      `The text stored as ${place} is not encrypted in the form ${VERSION} or ${DIRECT}.`,
    )
  }
  const wrapped = isDirect ? undefined : parts.shift()
  const [nonce, tag, ciphertext] = parts.map((part) => Buffer.from(part, ENCODING))
  return { sealedWith, wrapped, content: { nonce, tag, ciphertext } as Encrypted }
}

/** What PostgreSQL keeps instead of a password (RFC 5803): a reader of it, in a log too, cannot log in with it. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

/** PostgreSQL's default. More would cost time at each login, and passwords of ours cannot be guessed. */
const ITERATIONS = 4096

/** `password`: only ASCII, since no other text is the same after SASLprep. The result has no quotes. */
export function scramVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(keyOf('Client Key')).digest()
  const keys = [stored, keyOf('Server Key')].map((key) => key.toString('base64')).join(':')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${keys}`
}

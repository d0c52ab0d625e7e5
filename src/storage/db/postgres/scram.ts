/** What PostgreSQL keeps instead of a password (RFC 5803): whoever reads it, in a log too, cannot log in with it. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

/** As PostgreSQL has it. More would cost at each login, and a password that is guessed is no password of ours. */
const ITERATIONS = 4096

/** `password`: ASCII alone, since no other text is the same after SASLprep. Has no quotes. */
export function scramVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(keyOf('Client Key')).digest()
  const keys = [stored, keyOf('Server Key')].map((key) => key.toString('base64')).join(':')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${keys}`
}

/**
 * Stores a list of secrets as one encrypted JSON text. Not even their names are readable in the
 * database.
 */
import type { Secret } from '../../core/deployment/revision.ts'
import type { SecretBox } from '../../core/secret-box.ts'

/** `place` names the row and column, as in `SecretBox`. */
export function sealSecrets(box: SecretBox, secrets: Secret[], place: string): string {
  return box.seal(JSON.stringify(secrets), place)
}

/**
 * How to open them, once: that takes most of the time in which a row is read, and most who read one
 * do not ask for its secrets.
 */
export function openSecrets(box: SecretBox, sealed: string, place: string): () => Secret[] {
  let opened: Secret[] | undefined
  return () => {
    opened ??= JSON.parse(box.open(sealed, place)) as Secret[]
    return opened
  }
}

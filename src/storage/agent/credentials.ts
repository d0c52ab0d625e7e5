/**
 * Credentials in JSON columns. A row with some holds `{…, "sealed": "<encrypted JSON>"}`: the other members stay
 * readable, also for an agent server of an older version. Older rows are read as they are.
 */
import { parseJson } from '../../core/exact-json.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CredentialBox } from '../../core/secret-box.ts'

/** The places of encrypted texts. Each text is bound to its place. */
export const PLACES = {
  pushConfig: (task_id: string, config_id: string) => `push-config/${task_id}/${config_id}`,
  delivery: (id: string) => `webhook-delivery/${id}/headers`,
} as const

const UNREADABLE =
  'The credentials of this push notification cannot be decrypted with the key of this agent server. Set the push ' +
  'config again, or give every server of this database the RUNYARD_ENCRYPTION_KEY that encrypted them.'

/** Encrypts the members for which `isSecret` holds. Without a box it stores them as they are. */
export function sealMembers(
  box: CredentialBox | undefined,
  value: JsonObject,
  { isSecret, place }: { isSecret: (name: string) => boolean; place: string },
): JsonObject {
  const secret = Object.entries(value).filter(([name]) => isSecret(name))
  if (!box || secret.length === 0) return value
  const plain = Object.entries(value).filter(([name]) => !isSecret(name))
  const sealed = box.seal(JSON.stringify(Object.fromEntries(secret)), place)
  return { ...Object.fromEntries(plain), sealed }
}

/** Adds the members that were encrypted. `problem`: they cannot be decrypted here, and are missing. */
export function openMembers(
  box: CredentialBox | undefined,
  { sealed, ...plain }: JsonObject,
  place: string,
): { value: JsonObject; problem?: string } {
  if (sealed === undefined) return { value: plain }
  if (!box) return { value: plain, problem: UNREADABLE }
  try {
    const opened = parseJson(box.open(String(sealed), place)) as JsonObject
    return { value: { ...plain, ...opened } }
  } catch {
    // Another key, or another row's text. The cause could only repeat that.
    return { value: plain, problem: UNREADABLE }
  }
}

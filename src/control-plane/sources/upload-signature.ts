/** Upload URLs that work without a key: signed, for one object path, for a limited time. */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** How long an upload URL works, in ms: an hour. */
export const UPLOAD_URL_LIFETIME_MS = 3_600_000

/** The query of an upload URL: when it ends, in ms since 1970, and the signature in hex. */
export interface UploadGrant {
  expires: number
  signature: string
}

export function grantUpload(key: Uint8Array, object_path: string, now: number): UploadGrant {
  const expires = now + UPLOAD_URL_LIFETIME_MS
  return { expires, signature: sign(key, object_path, expires).toString('hex') }
}

/** Whether the grant was made with this key for this path, and its time is not over. */
export function isGranted(
  key: Uint8Array,
  object_path: string,
  grant: UploadGrant,
  now: number,
): boolean {
  const sent = Buffer.from(grant.signature, 'hex')
  const expected = sign(key, object_path, grant.expires)
  if (sent.length !== expected.length) return false
  return timingSafeEqual(sent, expected) && now < grant.expires
}

function sign(key: Uint8Array, object_path: string, expires: number): Buffer {
  return createHmac('sha256', key).update(`upload\n${object_path}\n${expires}`).digest()
}

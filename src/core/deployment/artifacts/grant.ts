/** Signed addresses for fetching one packed folder without a key. */
import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * How long such an address works, in ms: ten years. The folder is removed much earlier, with the revision; until then
 * pods may fetch it again at any time, on a new node.
 */
const ARTIFACT_ADDRESS_LIFETIME_MS = 10 * 365 * 24 * 3_600_000

interface PackedName {
  revision_id: string
  /** SHA-256 of the packed folder, in hex. */
  digest: string
}

/** The query of an address: when it ends, in ms since 1970, and the signature in hex. */
interface ArtifactGrant {
  expires: number
  signature: string
}

/** The path and query of the address at the control plane. `key`: `ControlPlaneStore.signingKey`. */
export function grantArtifact(key: Uint8Array, packed: PackedName, now: number): string {
  const expires = now + ARTIFACT_ADDRESS_LIFETIME_MS
  const signature = sign(key, packed, expires).toString('hex')
  const path = `/internal/artifacts/${packed.revision_id}/${packed.digest}`
  return `${path}?expires=${expires}&signature=${signature}`
}

/**
 * The path and query for the PUT of a revision's build that ran elsewhere. `DIGEST` in it is replaced by the digest,
 * which is not known yet. `key`: `ControlPlaneStore.signingKey`.
 */
export function grantBuilt(key: Uint8Array, revision_id: string, expires: number): string {
  const signature = signBuilt(key, revision_id, expires).toString('hex')
  return `/internal/builds/${revision_id}/DIGEST?expires=${expires}&signature=${signature}`
}

/** Whether the grant was made with this key for this revision and has not expired. */
export function isBuiltGranted(
  key: Uint8Array,
  revision_id: string,
  { expires, signature }: ArtifactGrant,
  now: number,
): boolean {
  return isSame(signature, signBuilt(key, revision_id, expires)) && now < expires
}

/** Whether the grant was made with this key for this folder and has not expired. */
export function isArtifactGranted(
  key: Uint8Array,
  packed: PackedName,
  grant: ArtifactGrant,
  now: number,
): boolean {
  return isSame(grant.signature, sign(key, packed, grant.expires)) && now < grant.expires
}

function isSame(signature: string, expected: Buffer): boolean {
  const sent = Buffer.from(signature, 'hex')
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}

function signBuilt(key: Uint8Array, revision_id: string, expires: number): Buffer {
  return createHmac('sha256', key).update(`built\n${revision_id}\n${expires}`).digest()
}

/** The text begins with its purpose: a signature for uploads is not valid here. */
function sign(key: Uint8Array, { revision_id, digest }: PackedName, expires: number): Buffer {
  const text = `artifact\n${revision_id}\n${digest}\n${expires}`
  return createHmac('sha256', key).update(text).digest()
}

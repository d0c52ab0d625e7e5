/** Uploads of source tarballs. Upload URLs work without a key: they are signed for one object path, and expire. */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { timestamp } from '../../core/clock.ts'
import type { ControlPlaneStore } from '../../core/deployment/control-plane-store.ts'
import type { SourceRevisionConfig } from '../../core/deployment/sources/config.ts'
import { MAX_TARBALL_BYTES } from '../../core/deployment/upload.ts'
import { AppError } from '../../core/errors.ts'
import type { Principal } from '../../core/people/api-key.ts'
import type { ControlPlaneParts } from '../control-plane-parts.ts'
import { refuseDeleted, requireDeployment } from '../deployments/access.ts'
import { record } from '../people/audit.ts'

/**
 * A place for one tarball, `<deployment id>/<random>.tar.gz`, and the URL to PUT it to, which works
 * for an hour. Throws `not_found`, `conflict` while the deployment is being deleted.
 */
export async function createUpload(
  parts: Pick<ControlPlaneParts, 'store' | 'signingKey' | 'publicUrl' | 'clock'>,
  principal: Principal,
  deployment_id: string,
): Promise<{ upload_url: string; object_path: string; upload_headers: Record<string, string> }> {
  const object_path = `${deployment_id}/${randomUUID()}.tar.gz`
  await parts.store.transaction(async (store) => {
    const deployment = await requireDeployment(store, principal, deployment_id)
    refuseDeleted(deployment)
    await store.uploads.insert({
      object_path,
      deployment_id,
      created_at: timestamp(parts.clock),
      uploaded_at: null,
      bytes: null,
    })
    await record(store, parts.clock, principal, {
      action: 'upload.create',
      target_id: object_path,
      target_name: deployment.name,
    })
  })
  const { expires, signature } = grantUpload(parts.signingKey, object_path, parts.clock.now())
  const query = `expires=${expires}&signature=${signature}`
  const upload_url = `${parts.publicUrl()}/v2/uploads/${object_path}?${query}`
  return { upload_url, object_path, upload_headers: { 'Content-Type': 'application/gzip' } }
}

/**
 * Receives the tarball. `announcedBytes`: its size, if the client sent it. Throws `forbidden` for a grant
 * that is not ours or has expired, `conflict` when the tarball already exists, `too_large` and
 * `bad_request` as `Tarballs.receive`.
 */
export async function receiveUpload(
  parts: Pick<ControlPlaneParts, 'store' | 'tarballs' | 'signingKey' | 'clock'>,
  object_path: string,
  grant: UploadGrant,
  body: { stream: AsyncIterable<Uint8Array> | null; announcedBytes: number | undefined },
): Promise<void> {
  await requireGrant(parts, object_path, grant)
  if ((body.announcedBytes ?? 0) > MAX_TARBALL_BYTES) {
    throw new AppError('too_large', `The tarball is larger than ${MAX_TARBALL_BYTES} bytes.`)
  }
  if (!body.stream) throw new AppError('bad_request', 'The body is empty: PUT the .tar.gz itself.')
  const bytes = await parts.tarballs.receive(object_path, body.stream)
  await parts.store.uploads.markUploaded(object_path, timestamp(parts.clock), bytes)
}

/**
 * Throws `bad_request` unless the tarball that the configuration names was uploaded and still exists: it is
 * removed with a revision that could not roll out.
 */
export async function requireUpload(
  store: ControlPlaneStore,
  deployment_id: string,
  config: SourceRevisionConfig,
): Promise<void> {
  const path = config.source_tarball_path
  if (path === null) return
  const upload = await store.uploads.get(path)
  if (!upload && path.startsWith(`${deployment_id}/`)) {
    throw new AppError(
      'bad_request',
      `The source of this deployment, ${path}, is not kept (any longer): upload it again, and name ` +
        'it with the next revision.',
    )
  }
  const where = 'source_revision_config.source_tarball_path'
  if (upload?.deployment_id !== deployment_id) {
    throw new AppError(
      'bad_request',
      `${where} must be an object_path that upload-url of this deployment answered.`,
    )
  }
  if (upload.uploaded_at === null) {
    throw new AppError('bad_request', `${where}: the tarball has not arrived; PUT it first.`)
  }
}

async function requireGrant(
  parts: Pick<ControlPlaneParts, 'store' | 'signingKey' | 'clock'>,
  object_path: string,
  grant: UploadGrant,
): Promise<void> {
  const isOurs = isGranted(parts.signingKey, object_path, grant, parts.clock.now())
  const upload = isOurs ? await parts.store.uploads.get(object_path) : undefined
  if (!upload) {
    throw new AppError(
      'forbidden',
      'The upload URL is not valid or no longer: ask upload-url for another one.',
    )
  }
  if (upload.uploaded_at !== null) {
    throw new AppError('conflict', 'This tarball has arrived already: ask for another upload URL.')
  }
}

/** How long an upload URL works, in ms: an hour. */
export const UPLOAD_URL_LIFETIME_MS = 3_600_000

/** The query of an upload URL: when it ends, in ms since 1970, and the signature in hex. */
interface UploadGrant {
  expires: number
  signature: string
}

function grantUpload(key: Uint8Array, object_path: string, now: number): UploadGrant {
  const expires = now + UPLOAD_URL_LIFETIME_MS
  return { expires, signature: sign(key, object_path, expires).toString('hex') }
}

/** Whether the grant was made with this key for this path, and its time is not over. */
function isGranted(key: Uint8Array, object_path: string, grant: UploadGrant, now: number): boolean {
  const sent = Buffer.from(grant.signature, 'hex')
  const expected = sign(key, object_path, grant.expires)
  if (sent.length !== expected.length) return false
  return timingSafeEqual(sent, expected) && now < grant.expires
}

function sign(key: Uint8Array, object_path: string, expires: number): Buffer {
  return createHmac('sha256', key).update(`upload\n${object_path}\n${expires}`).digest()
}

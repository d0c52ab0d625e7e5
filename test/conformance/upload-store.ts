/** What every store of uploads must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../src/core/deployment/control-plane-store.ts'
import { MAX_TARBALL_BYTES } from '../../src/core/deployment/upload.ts'
import { aDeployment, anUpload } from '../support/control-plane/control-plane-records.ts'

export function testUploadStore(open: () => ControlPlaneStore): void {
  async function insertUpload() {
    const { deployments, uploads } = open()
    const deployment = aDeployment({ source: 'internal_source' })
    await deployments.insert(deployment)
    const upload = anUpload({ deployment_id: deployment.id })
    await uploads.insert(upload)
    return upload
  }

  describe('uploads', () => {
    it('gives back an upload as it was stored', async () => {
      const upload = await insertUpload()
      await insertUpload()
      expect(await open().uploads.get(upload.object_path)).toEqual(upload)
    })

    it('finds nothing under an unknown path', async () => {
      expect(await open().uploads.get('uploads/none')).toBeUndefined()
    })

    it('notes that the whole of it has arrived, and again when it is sent once more', async () => {
      const { uploads } = open()
      const [upload, other] = [await insertUpload(), await insertUpload()]
      await uploads.markUploaded(upload.object_path, '2026-11-20T12:01:00.000Z', 10)
      const arrival = { uploaded_at: '2026-11-20T12:02:00.000Z', bytes: MAX_TARBALL_BYTES }
      await uploads.markUploaded(upload.object_path, arrival.uploaded_at, arrival.bytes)
      expect(await uploads.get(upload.object_path)).toEqual({ ...upload, ...arrival })
      expect(await uploads.get(other.object_path)).toEqual(other)
    })

    it("lists a deployment's, and removes one", async () => {
      const { uploads } = open()
      const later = await insertUpload()
      const { deployment_id } = later
      const created_at = '2026-11-20T11:00:00.000Z'
      const earlier = anUpload({ deployment_id, created_at })
      await uploads.insert(earlier)
      await insertUpload()
      expect(await uploads.list(deployment_id)).toEqual([earlier, later])
      await uploads.delete(earlier.object_path)
      await uploads.delete(earlier.object_path)
      expect(await uploads.list(deployment_id)).toEqual([later])
    })

    it('refuses an upload for a deployment that does not exist', async () => {
      const upload = anUpload({ deployment_id: randomUUID() })
      await expect(open().uploads.insert(upload)).rejects.toThrow()
    })
  })
}

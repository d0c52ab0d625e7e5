import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { UPLOAD_URL_LIFETIME_MS } from '../../../src/control-plane/sources/uploads.ts'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

let path: string
let id: string
const world = forEachTest(() => startControlPlane({ isReconciling: false }))
beforeEach(async () => {
  const body = aCreateRequest({
    source: 'internal_source',
    source_config: {},
    source_revision_config: {},
  })
  id = (await world.call('POST', '/v2/deployments', body)).body.id
  path = `/v2/deployments/${id}`
})

const newUrl = async () => (await world.call('POST', `${path}/upload-url`)).body
const tarball = gzipSync('a tarball')
const put = (url: string, body: string | null | typeof tarball = tarball) =>
  fetch(url, { method: 'PUT', body, headers: { 'content-type': 'application/gzip' } })

describe('an upload URL', () => {
  it('takes a tarball without a key', async () => {
    const { upload_url, object_path, upload_headers } = await newUrl()
    expect(upload_headers).toEqual({ 'Content-Type': 'application/gzip' })
    expect(object_path).toMatch(new RegExp(`^${id}/[0-9a-f-]+\\.tar\\.gz$`))
    expect(upload_url).toMatch(`${world.url}/v2/uploads/${object_path}?`)
    expect((await put(upload_url)).status).toBe(200)
    expect(world.tarballs.kept.get(object_path)).toEqual(tarball)
    expect(await world.store.uploads.get(object_path)).toMatchObject({
      bytes: tarball.length,
      uploaded_at: expect.any(String),
    })
  })

  it('is another one each time', async () => {
    expect((await newUrl()).object_path).not.toBe((await newUrl()).object_path)
  })

  it('works under /api-host too', async () => {
    const { upload_url } = await newUrl()
    expect((await put(upload_url.replace('/v2/', '/api-host/v2/'))).status).toBe(200)
  })

  it('is refused with 403 when anything in it was changed', async () => {
    const { upload_url } = await newUrl()
    const changed = [
      upload_url.replace(/signature=./, 'signature=x'),
      upload_url.replace(/&signature=.*/, ''),
      upload_url.replace(/signature=.*/, 'signature='),
      upload_url.replace(/expires=\d/, 'expires=9'),
      upload_url.replace(/expires=\d+/, 'expires=soon'),
      upload_url.replace('.tar.gz', '.tgz'),
      upload_url.replace(/uploads\/[^/]+/, 'uploads/..%2F..%2Fetc'),
      (await newUrl()).upload_url.replace(/\?.*/, new URL(upload_url).search),
    ]
    for (const url of changed) {
      const response = await put(url)
      expect({ url, status: response.status }).toEqual({ url, status: 403 })
      expect(await response.json()).toEqual({
        detail: 'The upload URL is not valid or no longer: ask upload-url for another one.',
      })
    }
    expect(world.tarballs.kept.size).toBe(0)
  })

  it('ends after an hour', async () => {
    const { upload_url } = await newUrl()
    world.clock.skip(UPLOAD_URL_LIFETIME_MS)
    expect((await put(upload_url)).status).toBe(403)
  })

  it('works once; after a failed try it works again', async () => {
    const { upload_url } = await newUrl()
    expect((await put(upload_url, 'no gzip')).status).toBe(400)
    expect((await put(upload_url)).status).toBe(200)
    const again = await put(upload_url)
    expect(again.status).toBe(409)
    expect(await again.json()).toMatchObject({ detail: expect.stringContaining('arrived already') })
  })

  it('takes no empty body', async () => {
    const { upload_url } = await newUrl()
    expect((await put(upload_url, null)).status).toBe(400)
  })

  it('is refused with 413 when what is announced is too large, before it is read', async () => {
    const { upload_url } = await newUrl()
    const status = await new Promise((resolve, reject) => {
      const headers = { 'content-length': 200 * 1024 * 1024 + 1 }
      const sending = request(upload_url, { method: 'PUT', headers }, (response) => {
        resolve(response.statusCode)
        sending.destroy()
      })
      sending.on('error', reject)
      sending.flushHeaders()
    })
    expect(status).toBe(413)
  })

  it('is answered with 404 for an unknown deployment', async () => {
    const unknown = '11111111-1111-1111-1111-111111111111'
    const { status, body } = await world.call('POST', `/v2/deployments/${unknown}/upload-url`)
    expect(status).toBe(404)
    expect(body.detail).toBe(`Deployment ID ${unknown} not found.`)
  })
})

/** The generated client of `client/`, against a control plane. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  ControlPlaneClient,
  ControlPlaneError,
  dataOf,
  doneBy,
  everyPage,
  isOver,
  UnreachableError,
} from '../../../client/src/client.ts'
import { isRevisionOver, REVISION_STATUSES } from '../../../src/core/deployment/revision.ts'
import { startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

let client: ControlPlaneClient
const world = forEachTest(() => startControlPlane({ isReconciling: false }))
beforeEach(async () => {
  client = new ControlPlaneClient({ url: `${world.url}/`, apiKey: world.adminKey })
})

const NOBODY = '00000000-0000-4000-8000-000000000000'

it('calls any operation by its path, with what it takes and answers typed', async () => {
  const { id } = await dataOf(client.api.POST('/v2/workspaces', { body: { name: 'Blue' } }))
  const params = { path: { workspace_id: id } }
  const renamed = client.api.PATCH('/v2/workspaces/{workspace_id}', {
    params,
    body: { name: 'Red' },
  })
  expect((await dataOf(renamed)).name).toBe('Red')
  const remove = () => doneBy(client.api.DELETE('/v2/workspaces/{workspace_id}', { params }))
  await remove()
  await expect(remove()).rejects.toMatchObject({ status: 404 })
  const exported = client.api.GET('/v2/audit-log/export', {
    params: { query: { format: 'csv' } },
    parseAs: 'text',
  })
  expect(await dataOf(exported)).toContain(id)
})

it('reads every page of a list', async () => {
  const list = () =>
    everyPage((query) => dataOf(client.api.GET('/v2/workspaces', { params: { query } })))
  const ids = new Set((await list()).map(({ id }) => id))
  for (let count = 0; count < 101; count++) {
    const body = { name: `workspace ${count}` }
    ids.add((await dataOf(client.api.POST('/v2/workspaces', { body }))).id)
  }
  const listed = (await list()).map(({ id }) => id)
  expect(listed.toSorted()).toEqual([...ids].toSorted())
})

it('sends a tarball to the signed URL, without its key', async () => {
  const { id } = await client.createDeployment({
    name: 'uploaded',
    source: 'internal_source',
    source_config: {},
    source_revision_config: {},
    secrets: [],
  })
  const signed = await client.requestUpload(id)
  const keyless = new ControlPlaneClient({ url: world.url, apiKey: 'not a key' })
  // The control plane may know itself by a name that nobody else does.
  const elsewhere = new URL(signed.upload_url)
  elsewhere.hostname = 'inside.invalid'
  const tarball = gzipSync('a tarball')
  await keyless.upload({ ...signed, upload_url: elsewhere.href }, new Uint8Array(tarball))
  await expect(keyless.getDeployment(id)).rejects.toMatchObject({ status: 401 })
})

describe('what goes wrong is thrown', () => {
  it('a refusal with its status and its sentence', async () => {
    const refusal = await client.getDeployment(NOBODY).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ControlPlaneError)
    expect(refusal).toMatchObject({
      status: 404,
      message: expect.stringMatching(/^HTTP 404: Deployment /),
    })
  })

  it('a request that does not validate with the fields', async () => {
    await expect(client.getDeployment('no id')).rejects.toMatchObject({
      status: 422,
      message: expect.stringMatching(/^HTTP 422: path\.deployment_id: ./),
    })
  })

  it('no answer, with where and why', async () => {
    const nobody = new ControlPlaneClient({ url: await closedUrl(), apiKey: 'any' })
    const error = await nobody.listDeployments().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(UnreachableError)
    expect(String(error)).toContain(`at ${nobody.url} (connection refused).`)
  })
})

it('knows from the document which statuses are ends', () => {
  expect(REVISION_STATUSES.filter(isOver)).toEqual(REVISION_STATUSES.filter(isRevisionOver))
})

/** A URL that nobody listens at. */
async function closedUrl(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

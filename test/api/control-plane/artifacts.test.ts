import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import type { PackedArtifact } from '../../../src/core/deployment/artifacts/store.ts'
import { startControlPlane } from '../../support/control-plane/control-plane.ts'
import { aFolder } from '../../support/control-plane/fake-builder.ts'
import { forEachTest } from '../../support/running.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let root: string
let packed: PackedArtifact
let url: string
const world = forEachTest(() => startControlPlane({ isReconciling: false }))
beforeEach(async () => {
  root = temporaryFolder()
  await writeFile(join(root, 'langgraph.json'), '{"graphs":{}}')
  packed = await world.packed.publish({ artifact: aFolder('r1'), repo_commit_sha: null, root })
  url = (await world.packed.addressOf(packed)).url
})

describe('the address of a built folder', () => {
  it('answers it without a key', async () => {
    const answer = await fetch(url)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/gzip')
    expect(answer.headers.get('content-length')).toBe(String(packed.bytes))
    expect(gunzipSync(await answer.bytes()).toString()).toContain('{"graphs":{}}')
  })

  it('is refused with 403 when anything in it was changed', async () => {
    const changed = [
      url.replace(/signature=./, 'signature=x'),
      url.replace(/&signature=.*/, ''),
      url.replace(/expires=\d/, 'expires=9'),
      url.replace(/expires=\d+/, 'expires=soon'),
      url.replace('/r1/', '/r2/'),
      url.replace(packed.digest, '0'.repeat(64)),
      url.replace('/r1/', '/..%2f..%2fr1/'),
    ]
    for (const one of changed) expect((await fetch(one)).status).toBe(403)
  })

  it('leads nowhere once the revision is kept no longer', async () => {
    await world.packed.remove('r1')
    expect((await fetch(url)).status).toBe(404)
  })

  it('leads to the store where that has addresses of its own', async () => {
    const elsewhere = 'https://store.example.com/signed'
    const { open } = world.packed
    world.packed.open = async () => ({ url: elsewhere })
    const answer = await fetch(url, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, elsewhere])
    world.packed.open = open
  })
})

describe('the address where a build elsewhere brings what it has made', () => {
  const made = (digest: string) => ({ artifact: aFolder('r2'), repo_commit_sha: null, digest })
  const digest = createHash('sha256').update('hello').digest('hex')
  const put = async (to: string, body = 'hello') =>
    (await fetch(to.replace('DIGEST', digest), { method: 'PUT', body })).status

  it('takes it by its digest, until it is settled', async () => {
    const to = await world.packed.uploadUrl('r2', 60_000)
    expect(await put(to, 'another')).toBe(400)
    expect(await world.packed.settle(made(digest))).toBeUndefined()
    expect(await put(to)).toBe(200)
    expect(await world.packed.settle(made(digest))).toMatchObject({ digest, bytes: 5 })
    expect(await put(to)).toBe(409)
    expect(await world.packed.find('r2')).toMatchObject(made(digest))
  })

  it('leaves nothing of a source that was lent for it', async () => {
    const lent = await world.packed.lend('r2', root)
    expect((await fetch(lent.url)).status).toBe(200)
    expect(await put(await world.packed.uploadUrl('r2', 60_000))).toBe(200)
    await world.packed.settle(made(digest))
    expect((await fetch(lent.url)).status).toBe(404)
  })

  it('takes no more than one build can have', async () => {
    const to = await world.packed.uploadUrl('r2', 60_000)
    const statuses: number[] = []
    for (const body of ['1', '2', '3', '4', '5']) {
      const own = createHash('sha256').update(body).digest('hex')
      statuses.push((await fetch(to.replace('DIGEST', own), { method: 'PUT', body })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 409])
  })

  it('is refused with 403 when anything in it was changed, or its time is over', async () => {
    const to = await world.packed.uploadUrl('r2', 60_000)
    const changed = [
      to.replace(/signature=./, 'signature=x'),
      to.replace(/expires=\d/, 'expires=9'),
      to.replace('/r2/', '/r1/'),
      await world.packed.uploadUrl('r2', -1),
    ]
    for (const one of changed) expect(await put(one)).toBe(403)
  })
})

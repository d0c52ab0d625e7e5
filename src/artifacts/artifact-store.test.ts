import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { aFolder } from '../../test/support/control-plane/fake-builder.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { systemClock as clock } from '../core/clock.ts'
import { isArtifactGranted } from '../core/deployment/artifacts/grant.ts'
import type { ArtifactStore } from '../core/deployment/artifacts/store.ts'
import type { ObjectStore } from '../core/object-store.ts'
import { createArtifactStore } from './artifact-store.ts'
import { openFolderObjects } from './folder-objects.ts'

const signingKey = new Uint8Array(32).fill(7)
let dir: string
let objects: ObjectStore
let store: ArtifactStore
beforeEach(async () => {
  dir = temporaryFolder()
  objects = openFolderObjects({ root: join(dir, 'objects') })
  const homeUrl = async () => 'http://home.test'
  store = createArtifactStore({
    ...{ objects, signingKey, homeUrl, clock },
    unfinishedDir: join(dir, 'unfinished'),
  })
  await mkdir(join(dir, 'built'))
  await writeFile(join(dir, 'built/langgraph.json'), '{}')
})

const publish = (id = 'r1') =>
  store.publish({ artifact: aFolder(id), repo_commit_sha: 'c0ffee', root: join(dir, 'built') })

it('keeps what was built, for whoever asks for the revision', async () => {
  expect(await store.find('r1')).toBeUndefined()
  const packed = await publish()
  expect(packed).toMatchObject({ artifact: aFolder('r1'), repo_commit_sha: 'c0ffee' })
  expect(packed.digest).toMatch(/^[0-9a-f]{64}$/)
  expect(await store.find('r1')).toEqual(packed)
  const found = await store.open('r1', packed.digest)
  expect(found).toMatchObject({ bytes: packed.bytes })
  expect(await store.open('r1', '0'.repeat(64))).toBeUndefined()
  expect(await readdir(join(dir, 'unfinished'))).toEqual([])
})

it('packs a revision once, however often it is asked', async () => {
  const [one, other] = await Promise.all([publish(), publish()])
  expect(one).toEqual(other)
  await rm(join(dir, 'built'), { recursive: true })
  expect(await publish()).toEqual(one)
  expect(await objects.list('artifacts/')).toHaveLength(2)
})

it('lists and removes by revision', async () => {
  await publish('r1')
  await publish('r2')
  expect((await store.list()).toSorted()).toEqual(['r1', 'r2'])
  for (let i = 0; i < 2; i += 1) await store.remove('r1')
  expect(await store.list()).toEqual(['r2'])
  expect(await store.find('r1')).toBeUndefined()
})

it('signs addresses for one folder alone, which end', async () => {
  const packed = await publish()
  const { url, digest } = await store.addressOf(packed)
  expect(url).toMatch(`http://home.test/internal/artifacts/r1/${digest}?`)
  const { searchParams } = new URL(url)
  const expires = Number(searchParams.get('expires'))
  const grant = { expires, signature: String(searchParams.get('signature')) }
  const at = { revision_id: 'r1', digest }
  const isGranted = (what = at, change = {}, now = expires - 1) =>
    isArtifactGranted(signingKey, what, { ...grant, ...change }, now)
  expect(isGranted()).toBe(true)
  expect(isGranted(at, {}, expires)).toBe(false)
  expect(isGranted({ ...at, revision_id: 'r2' })).toBe(false)
  expect(isGranted({ ...at, digest: 'f'.repeat(64) })).toBe(false)
  expect(isGranted(at, { expires: expires + 1 })).toBe(false)
  expect(isGranted(at, { signature: '' })).toBe(false)
})

it('takes the store’s own address first where it has some', async () => {
  objects.signedUrl = async (name) => `http://store.test/${name}`
  const packed = await publish()
  const { url } = await store.addressOf(packed)
  expect(url.split(' ')).toEqual([
    `http://store.test/artifacts/r1/${packed.digest}.tar.gz`,
    expect.stringMatching('^http://home.test/internal/artifacts/r1/'),
  ])
  const own = { url: `http://store.test/artifacts/r1/${packed.digest}.tar.gz` }
  expect(await store.open('r1', packed.digest)).toEqual(own)
})

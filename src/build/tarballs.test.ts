import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { openFolderObjects } from '../artifacts/folder-objects.ts'
import { createTarballs } from './tarballs.ts'

const GZIP = gzipSync('whatever is inside')
let dir: string
beforeEach(() => {
  dir = temporaryFolder()
})

const tarballsOf = (at: string) =>
  createTarballs({ dir: at, objects: openFolderObjects({ root: at }) })

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function stored(): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
}

it('stores what arrives and answers its size', async () => {
  const tarballs = tarballsOf(dir)
  expect(await tarballs.receive('d1/u1.tar.gz', inChunks(GZIP, 1))).toBe(GZIP.length)
  expect(await readFile(join(dir, 'uploads/d1/u1.tar.gz'))).toEqual(GZIP)
})

it('removes one, and again', async () => {
  const tarballs = tarballsOf(dir)
  await tarballs.receive('d1/u1.tar.gz', inChunks(GZIP, 1))
  for (let i = 0; i < 2; i += 1) await tarballs.remove('d1/u1.tar.gz')
  await expect(readFile(join(dir, 'uploads/d1/u1.tar.gz'))).rejects.toThrow('ENOENT')
})

it('replaces an earlier upload only once the new one is whole', async () => {
  const tarballs = tarballsOf(dir)
  await tarballs.receive('u', inChunks(GZIP, 10))
  async function* broken() {
    yield GZIP.subarray(0, 5)
    throw new Error('the client left')
  }
  await expect(tarballs.receive('u', broken())).rejects.toThrow('the client left')
  expect(await readFile(join(dir, 'uploads/u'))).toEqual(GZIP)
  expect(await stored()).toEqual(['u'])
})

it('says that the disk is full, and keeps nothing', async () => {
  async function* onFullDisk() {
    yield GZIP.subarray(0, 5)
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  }
  await expect(tarballsOf(dir).receive('u', onFullDisk())).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('no space left'),
  })
  expect(await stored()).toEqual([])
})

it('removes what an earlier process left unfinished', async () => {
  await mkdir(join(dir, 'unfinished'))
  await writeFile(join(dir, 'unfinished/half'), 'half')
  tarballsOf(dir)
  expect(await stored()).toEqual([])
})

it('refuses what is no gzip file, and keeps nothing', async () => {
  const tarballs = tarballsOf(dir)
  for (const text of ['', 'P', 'PK-a-zip', '\u001f']) {
    const receiving = tarballs.receive('u', inChunks(new TextEncoder().encode(text), 1))
    await expect(receiving).rejects.toMatchObject({ code: 'bad_request' })
  }
  expect(await stored()).toEqual([])
})

it('refuses what is too large as soon as it is, and keeps nothing', async () => {
  const tarballs = createTarballs({
    dir,
    objects: openFolderObjects({ root: dir }),
    maxBytes: GZIP.length - 1,
  })
  const receiving = tarballs.receive('u', inChunks(GZIP, 4))
  await expect(receiving).rejects.toMatchObject({ code: 'too_large' })
  expect(await stored()).toEqual([])
})

it.each(['../u', '/etc/u', 'a/../u', 'a//b', '', 'a/', '.u', 'a\0b', 'a\\b', 'x'.repeat(200)])(
  'never takes the object path %j for a path',
  async (object_path) => {
    const receiving = tarballsOf(dir).receive(object_path, inChunks(GZIP, 9))
    await expect(receiving).rejects.toMatchObject({ code: 'bad_request' })
    expect(await stored()).toEqual([])
  },
)

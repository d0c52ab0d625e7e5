import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, it } from 'vitest'
import { objectStoreConformance } from '../../test/conformance/object-store.ts'
import { eventually } from '../../test/support/eventually.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { openFolderObjects } from './folder-objects.ts'

let root: string
beforeEach(() => {
  root = temporaryFolder()
})

describe('a folder of objects', () => {
  objectStoreConformance(async () => openFolderObjects({ root }))
})

const bytes = async function* () {
  yield Buffer.from('bytes')
}

it('leaves no empty folder behind', async () => {
  const store = openFolderObjects({ root })
  await store.put('uploads/d/a', bytes())
  await store.remove('uploads/d/a')
  expect(await readdir(root)).toEqual(['unfinished'])
})

it('is for its user alone', async () => {
  const store = openFolderObjects({ root })
  await store.put('uploads/d/a', bytes())
  expect((await stat(join(root, 'uploads/d/a'))).mode & 0o777).toBe(0o600)
})

it('opens a file only for whoever reads it', async () => {
  const store = openFolderObjects({ root })
  await store.put('a', bytes())
  const found = await store.get('a')
  await rm(join(root, 'a'))
  if (!found) throw new Error('It was not kept.')
  await expect(text(found.body)).rejects.toMatchObject({ code: 'ENOENT' })
})

it('removes after a day what a crash has left half written', async () => {
  await mkdir(join(root, 'unfinished/a-folder'), { recursive: true })
  const names = ['new', 'old']
  for (const name of names) await writeFile(join(root, 'unfinished', name), 'half')
  for (const name of ['a-folder', 'old']) await utimes(join(root, 'unfinished', name), 0, 0)
  openFolderObjects({ root })
  const left = async () => (await readdir(join(root, 'unfinished'))).toSorted()
  await eventually(left).toEqual(['a-folder', 'new'])
})

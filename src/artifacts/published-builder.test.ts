import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { aFolder, FakeBuilder } from '../../test/support/control-plane/fake-builder.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { systemClock as clock } from '../core/clock.ts'
import type { ArtifactStore } from '../core/deployment/artifacts/store.ts'
import type { Builder, BuildRequest } from '../core/deployment/builds/build.ts'
import { EMPTY_REVISION_CONFIG, EMPTY_SOURCE_CONFIG } from '../core/deployment/sources/config.ts'
import { createArtifactStore } from './artifact-store.ts'
import { openFolderObjects } from './folder-objects.ts'
import { createPublishedBuilder } from './published-builder.ts'

const never = new AbortController().signal
let dir: string
let artifacts: ArtifactStore
beforeEach(async () => {
  dir = temporaryFolder()
  await mkdir(join(dir, 'built'))
  await writeFile(join(dir, 'built/langgraph.json'), '{}')
  artifacts = createArtifactStore({
    objects: openFolderObjects({ root: join(dir, 'objects') }),
    unfinishedDir: join(dir, 'unfinished'),
    signingKey: new Uint8Array(32),
    homeUrl: async () => 'http://home.test',
    clock,
  })
})

/** One on each machine. */
function machine(): { builder: Builder; own: FakeBuilder } {
  const own = new FakeBuilder()
  const rootOf = () => join(dir, 'built')
  return { own, builder: createPublishedBuilder(own, { artifacts, rootOf }) }
}

const request = (revision_id: string): BuildRequest => ({
  revision_id,
  deployment_id: 'd1',
  source: 'internal_source',
  source_config: EMPTY_SOURCE_CONFIG,
  source_revision_config: { ...EMPTY_REVISION_CONFIG, source_tarball_path: 'd1/a.tar.gz' },
  secrets: [],
})

it('has what one machine has built found by another, which has not', async () => {
  const [first, second] = [machine(), machine()]
  const built = await first.builder.build(request('r1'), never)
  expect(await second.own.find('r1')).toBeUndefined()
  expect(await second.builder.find('r1')).toEqual(built)
  expect(await second.builder.list()).toEqual(['r1'])
  expect(await second.builder.find('r2')).toBeUndefined()
})

it('publishes anew what is built anew', async () => {
  const { builder } = machine()
  await builder.build(request('r1'), never)
  const before = await artifacts.find('r1')
  await writeFile(join(dir, 'built/agent.js'), 'changed')
  await builder.build(request('r1'), never)
  expect((await artifacts.find('r1'))?.digest).not.toBe(before?.digest)
})

it('removes what it has published, on any machine', async () => {
  const [first, second] = [machine(), machine()]
  for (const id of ['r1', 'r2']) await first.builder.build(request(id), never)
  await second.builder.prune('r1')
  await second.builder.remove('r2')
  expect(await artifacts.list()).toEqual([])
})

it('publishes nothing of a build that fails, or that is an image', async () => {
  const { builder, own } = machine()
  own.gives = () => ({ kind: 'image', image_uri: 'registry.test/a@sha256:0' })
  await builder.build(request('r1'), never)
  expect(await artifacts.list()).toEqual([])
  own.gives = aFolder
  await rm(join(dir, 'built'), { recursive: true })
  await expect(builder.build(request('r2'), never)).rejects.toThrow()
  expect(await artifacts.find('r2')).toBeUndefined()
})

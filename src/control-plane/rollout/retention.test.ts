import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  aDeployment,
  anUpload,
  aRevision,
} from '../../../test/support/control-plane/control-plane-records.ts'
import {
  aFolder,
  FakeBuilder,
  FakeTarballs,
} from '../../../test/support/control-plane/fake-builder.ts'
import { FakeRuntimeDriver } from '../../../test/support/control-plane/fake-runtime-driver.ts'
import { forEachTest } from '../../../test/support/running.ts'
import type { RevisionStatus } from '../../core/deployment/revision.ts'
import { silentLog } from '../../core/log.ts'
import { createSecretBox } from '../../storage/control-plane/secret-box.ts'
import { openControlPlaneStore } from '../../storage/control-plane/store.ts'
import { Retention } from './retention.ts'

const CREATED_AT = Date.parse('2026-11-20T12:00:00.000Z')
const DAY_MS = 24 * 3_600_000

let builder: FakeBuilder
let tarballs: FakeTarballs
let driver: FakeRuntimeDriver
let now: number
const deployment = aDeployment()
const { id: deployment_id, updated_at } = deployment

const store = forEachTest(() => openControlPlaneStore(':memory:', createSecretBox(randomBytes(32))))
beforeEach(async () => {
  builder = new FakeBuilder()
  tarballs = new FakeTarballs()
  driver = new FakeRuntimeDriver()
  now = CREATED_AT
  await store.deployments.insert(deployment)
})

interface Made {
  built_from?: string
  tarball?: string
}

/** A revision whose build lies on disk. */
async function revision(status: RevisionStatus, { built_from, tarball }: Made = {}) {
  const made = aRevision({ deployment_id, status, built_from: built_from ?? null })
  made.source_revision_config.source_tarball_path = tarball ?? null
  await store.revisions.insert(made)
  builder.built.set(made.id, { artifact: aFolder(made.id), repo_commit_sha: null })
  return made.id
}

async function upload(object_path: string): Promise<void> {
  await store.uploads.insert(anUpload({ deployment_id, object_path }))
  tarballs.kept.set(object_path, Buffer.from('a project'))
}

/** Keeps the newest two that were deployed, and answers what is left. */
async function prune() {
  const clock = { now: () => now }
  const parts = { store, builder, tarballs, driver, clock, log: silentLog }
  const retention = new Retention({ ...parts, keptRevisions: 2 })
  retention.note(deployment_id)
  await retention.stop()
  return { builds: [...builder.built.keys()], tarballs: [...tarballs.kept.keys()] }
}

describe('the builds that are kept', () => {
  it('are those of the newest revisions that were deployed', async () => {
    await revision('DEPLOYED')
    const kept = [await revision('DEPLOYED'), await revision('DEPLOYED')]
    await revision('BUILD_FAILED')
    expect((await prune()).builds).toEqual(kept)
  })

  it('are those of the active revision too, however old, and of the one on its way', async () => {
    const active = await revision('DEPLOYED')
    await store.deployments.update(deployment_id, { updated_at, active_revision_id: active })
    const newer = [await revision('DEPLOYED'), await revision('DEPLOYED')]
    const next = await revision('AWAITING_BUILD')
    expect((await prune()).builds).toEqual([active, ...newer, next])
  })

  it('are those that a kept revision runs from', async () => {
    const origin = await revision('DEPLOYED')
    await revision('DEPLOYED')
    const kept = [await revision('DEPLOYED'), await revision('DEPLOYED', { built_from: origin })]
    expect((await prune()).builds).toEqual([origin, ...kept])
  })

  it('are those whose agent server still drains', async () => {
    const draining = await revision('DEPLOY_FAILED')
    await revision('DEPLOY_FAILED')
    await driver.start({ revision_id: draining, artifact: { kind: 'folder' } } as never)
    expect((await prune()).builds).toEqual([draining])
  })

  it('are all, while their deployment is being deleted', async () => {
    const failed = await revision('BUILD_FAILED')
    await store.deployments.update(deployment_id, { updated_at, status: 'AWAITING_DELETE' })
    expect((await prune()).builds).toEqual([failed])
  })
})

describe('the tarballs that are kept', () => {
  it('are those of the kept revisions; the record of another goes with it', async () => {
    for (const name of ['one', 'two', 'three']) {
      await upload(name)
      await revision('DEPLOYED', { tarball: name })
    }
    expect((await prune()).tarballs).toEqual(['two', 'three'])
    expect(await store.uploads.get('one')).toBeUndefined()
  })

  it('are for a day those that no revision names yet', async () => {
    await upload('unused')
    now = CREATED_AT + DAY_MS - 1
    expect((await prune()).tarballs).toEqual(['unused'])
    now += 1
    expect((await prune()).tarballs).toEqual([])
  })
})

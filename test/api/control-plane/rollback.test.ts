import { gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { aFolder } from '../../support/control-plane/fake-builder.ts'
import { forEachTest } from '../../support/running.ts'

const world = forEachTest(() => startControlPlane({ limits: { keptRevisions: 2 } }))

const eventually = <T>(look: () => T | Promise<T>) =>
  vi.waitFor(look, { timeout: 30_000, interval: 5 })

/** A deployment with so many revisions that were deployed one after the other. */
async function deployed(count: number) {
  const { body } = await world.call('POST', '/v2/deployments', aCreateRequest())
  const path = `/v2/deployments/${body.id}`
  const ids = [body.latest_revision_id as string]
  await reached(path, ids[0], 'DEPLOYED')
  while (ids.length < count) ids.push(await change(path))
  return { id: body.id as string, path, ids }
}

async function change(path: string, status = 'DEPLOYED'): Promise<string> {
  const request = { source_revision_config: { repo_ref: 'next' } }
  const id = (await world.call('PATCH', path, request)).body.latest_revision_id
  await reached(path, id, status)
  return id
}

const revision = async (path: string, id: string | undefined) =>
  (await world.call('GET', `${path}/revisions/${id}`)).body
const reached = (path: string, id: string | undefined, status: string) =>
  eventually(async () => expect((await revision(path, id)).status).toBe(status))
const active = async (path: string) => (await world.call('GET', path)).body.active_revision_id

describe('a rollback', () => {
  it('goes back to the revision that served before, without a build', async () => {
    const { path, ids } = await deployed(3)
    const answer = await world.call('POST', `${path}/rollback`, {})
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ number: 4, deployed_at: null })
    await reached(path, answer.body.id, 'DEPLOYED')
    expect(await active(path)).toBe(answer.body.id)
    expect(world.builder.requests).toHaveLength(3)
    expect(world.driver.starts.at(-1)?.artifact).toMatchObject({ id: ids[1] })
    expect((await revision(path, answer.body.id)).deployed_at).toEqual(expect.any(String))
  })

  it('goes back to the one that is named, built anew where it has to be, and again', async () => {
    const { path, ids } = await deployed(3)
    await eventually(() => expect(world.builder.built.has(ids[0] as string)).toBe(false))
    const back = await world.call('POST', `${path}/rollback`, { revision_id: ids[0] })
    await reached(path, back.body.id, 'DEPLOYED')
    expect(world.builder.requests).toHaveLength(4)
    const again = await world.call('POST', `${path}/rollback`, { revision_id: back.body.id })
    await reached(path, again.body.id, 'DEPLOYED')
    expect(world.builder.requests).toHaveLength(4)
    expect(world.driver.starts.at(-1)?.artifact).toEqual(aFolder(back.body.id))
  })

  it('comes before what is on its way', async () => {
    const { path, ids } = await deployed(2)
    world.builder.plan = 'by hand'
    const building = await change(path, 'BUILDING')
    const back = await world.call('POST', `${path}/rollback`, { revision_id: ids[0] })
    await reached(path, back.body.id, 'DEPLOYED')
    expect(await revision(path, building)).toMatchObject({
      status: 'INTERRUPTED',
      status_message: 'A rollback to #1 came first.',
    })
    await eventually(() => expect(world.builder.running.size).toBe(0))
  })

  it('brings the configuration and the secrets of that revision back', async () => {
    const { path } = await deployed(1)
    const secrets = [{ name: 'A', value: 'two' }]
    const { body } = await world.call('PATCH', path, { secrets })
    await reached(path, body.latest_revision_id, 'DEPLOYED')
    await world.call('POST', `${path}/rollback`, {})
    expect((await world.call('GET', path)).body.secrets).toEqual([])
  })

  it('is refused where there is nothing to go back to', async () => {
    const { path, ids } = await deployed(1)
    const nothing = await world.call('POST', `${path}/rollback`, {})
    expect(nothing.status).toBe(409)
    expect(nothing.body.detail).toContain('nothing to go back to')
    world.builder.plan = 'by hand'
    const building = await change(path, 'BUILDING')
    const never = await world.call('POST', `${path}/rollback`, { revision_id: building })
    expect([never.status, never.body.detail]).toEqual([409, expect.stringContaining('BUILDING')])
    const viewer = await world.keyOf('viewer')
    const request = { revision_id: ids[0] }
    expect((await world.call('POST', `${path}/rollback`, request, viewer)).status).toBe(403)
  })
})

describe('a revision that dies in its first minute', () => {
  it('is taken back, with the reason', async () => {
    const { path, ids } = await deployed(2)
    world.driver.die(ids[1] as string, 'The agent server died: it ended with exit code 7.')
    await reached(path, ids[1], 'DEPLOY_FAILED')
    const { status_message } = await revision(path, ids[1])
    expect(status_message).toBe(
      'rollback: it died within 60 s of its deployment; #1 is deployed again. ' +
        'The agent server died: it ended with exit code 7.',
    )
    await eventually(async () => expect((await revision(path, await active(path))).number).toBe(3))
    expect(world.builder.requests).toHaveLength(2)
    expect(world.driver.starts.at(-1)?.artifact).toMatchObject({ id: ids[0] })
  })
})

describe('what is kept', () => {
  it('are the builds of the newest deployed revisions and of what they were made from', async () => {
    const { path, ids } = await deployed(4)
    await eventually(() =>
      expect(new Set(world.builder.built.keys())).toEqual(new Set(ids.slice(2))),
    )
    const back = await world.call('POST', `${path}/rollback`, { revision_id: ids[2] })
    await reached(path, back.body.id, 'DEPLOYED')
    await change(path)
    await eventually(() => expect([...world.builder.built.keys()]).toContain(ids[2]))
    expect([...world.builder.built.keys()]).not.toContain(ids[3])
  })

  it('are tarballs as long as a build of them; a revision without either is refused', async () => {
    const { body } = await world.call('POST', '/v2/deployments', {
      ...aCreateRequest({ source: 'internal_source' }),
      source_config: {},
      source_revision_config: {},
    })
    const path = `/v2/deployments/${body.id}`
    const ids: string[] = []
    for (let i = 0; i < 3; i += 1) ids.push(await upload(path))
    await eventually(() => expect(world.tarballs.kept.size).toBe(2))
    const gone = await world.call('POST', `${path}/revisions/${ids[0]}/redeploy`)
    expect([gone.status, gone.body.detail]).toEqual([
      409,
      expect.stringContaining('no longer kept'),
    ])
    const kept = await world.call('POST', `${path}/revisions/${ids[1]}/redeploy`)
    expect(kept.status).toBe(200)
  })

  it('is found out again after a restart', async () => {
    const { ids } = await deployed(2)
    const artifact = aFolder(ids[0] as string)
    world.builder.built.set(artifact.id, { artifact, repo_commit_sha: null })
    const orphan = await deployedOnce()
    await world.restart()
    await eventually(() => expect(world.builder.built.has(orphan)).toBe(false))
    expect(world.builder.built.has(ids[1] as string)).toBe(true)
  })

  /** A revision that failed and whose folder a crash has left. */
  async function deployedOnce(): Promise<string> {
    const request = aCreateRequest({ name: 'other' })
    const { body } = await world.call('POST', '/v2/deployments', request)
    const path = `/v2/deployments/${body.id}`
    await reached(path, body.latest_revision_id, 'DEPLOYED')
    world.builder.plan = 'by hand'
    const interrupted = await change(path, 'BUILDING')
    await world.call('POST', `${path}/revisions/${interrupted}/interrupt`)
    await world.reconciler.stop()
    const left = { artifact: aFolder(interrupted), repo_commit_sha: null }
    world.builder.built.set(interrupted, left)
    return interrupted
  }

  async function upload(path: string): Promise<string> {
    const { body } = await world.call('POST', `${path}/upload-url`)
    await fetch(body.upload_url, { method: 'PUT', body: gzipSync('a project') })
    const request = { source_revision_config: { source_tarball_path: body.object_path } }
    const id = (await world.call('PATCH', path, request)).body.latest_revision_id
    await reached(path, id, 'DEPLOYED')
    return id
  }
})

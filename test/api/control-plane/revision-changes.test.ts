import { describe, expect, it, vi } from 'vitest'
import type { RevisionHistoryEntry } from '../../../src/control-plane/revisions/history-schemas.ts'
import { BuildError } from '../../../src/core/deployment/builds/build.ts'
import type { SourceSnapshot } from '../../../src/core/deployment/sources/snapshot.ts'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const world = forEachTest(startControlPlane)

async function settled(path: string, id: string, status = 'DEPLOYED') {
  const look = async () => {
    const { body } = await world.call('GET', `${path}/revisions/${id}`)
    expect(body.status).toBe(status)
    return body
  }
  return vi.waitFor(look, { timeout: 30_000, interval: 5 })
}

async function aDeployment() {
  const secrets = [{ name: 'TOKEN', value: 'sk-one' }]
  const { body } = await world.call('POST', '/v2/deployments', { ...aCreateRequest(), secrets })
  const path = `/v2/deployments/${body.id}`
  const first = body.latest_revision_id as string
  await settled(path, first)
  return { path, first }
}

async function next(path: string, request: object): Promise<string> {
  const { body } = await world.call('POST', `${path}/revisions`, request)
  await settled(path, body.id)
  return body.id
}

const changesOf = async (path: string, id: string, key?: string) =>
  (await world.call('GET', `${path}/revisions/${id}/changes`, undefined, key)).body

/** A source of one file. */
function aSource(text: string, subject = 'A change'): SourceSnapshot {
  return {
    commit: { id: 'c0ffee', author: 'Ann', subject },
    files: [{ path: 'agent.ts', bytes: text.length, digest: text, text }],
    left_out: 0,
    packages: {},
  }
}

describe('what a revision is about', () => {
  it('is the message of its request, and the commit that it is built from', async () => {
    world.builder.source = aSource('one\n', 'Begin')
    const { path, first } = await aDeployment()
    expect(await settled(path, first)).toMatchObject({
      message: null,
      commit_author: 'Ann',
      commit_subject: 'Begin',
    })
    const second = await next(path, { message: 'Raise the limit\n' })
    expect(await settled(path, second)).toMatchObject({ message: 'Raise the limit' })
    const patch = { source_config: { resource_spec: { max_scale: 2 } }, message: 'Scale' }
    const { body } = await world.call('PATCH', path, patch)
    expect(await settled(path, body.latest_revision_id)).toMatchObject({ message: 'Scale' })
    const back = await world.call('POST', `${path}/rollback`, { revision_id: first })
    expect(back.body).toMatchObject({ message: null, commit_subject: 'Begin' })
    const long = await world.call('POST', `${path}/revisions`, { message: 'x'.repeat(2001) })
    expect(long.status).toBe(422)
  })
})

it('is deployed without a commit when its source cannot be read', async () => {
  world.builder.source = aSource('one\n')
  world.builder.plan = 'by hand'
  const { body } = await world.call('POST', '/v2/deployments', aCreateRequest())
  const id = body.latest_revision_id as string
  await vi.waitFor(() => expect(world.builder.running.has(id)).toBe(true))
  world.builder.unreadableSources.add(id)
  world.builder.running.get(id)?.end()
  const deployed = await settled(`/v2/deployments/${body.id}`, id)
  expect(deployed).toMatchObject({ commit_author: null })
})

describe('the changes of a revision', () => {
  it('are its fields, its secrets by name, and its files with their lines', async () => {
    world.builder.source = aSource('one\n')
    const { path, first } = await aDeployment()
    expect(await changesOf(path, first)).toMatchObject({ number: 1, changes: null, source: null })
    world.builder.source = aSource('two\n')
    const second = await next(path, { secrets: [{ name: 'TOKEN', value: 'sk-two' }] })
    const found = await changesOf(path, second)
    expect(found).toMatchObject({
      number: 2,
      changes: { since: 1, secrets: { added: [], changed: ['TOKEN'], removed: [] } },
      source: {
        state: 'compared',
        files: [{ path: 'agent.ts', added: 1, removed: 1, patch: '@@ -1,1 +1,1 @@\n-one\n+two' }],
      },
    })
    expect(JSON.stringify(found)).not.toContain('sk-')
    await next(path, { secrets: [{ name: 'OTHER', value: 'sk-three' }] })
    expect((await changesOf(path, second)).changes.since).toBe(1)
    const { body: back } = await world.call('POST', `${path}/rollback`, { revision_id: first })
    expect((await changesOf(path, back.id)).source.files).toMatchObject([
      { patch: '@@ -1,1 +1,1 @@\n-two\n+one' },
    ])
  })

  it('have no lines for keys that may not deploy, and are hidden from other workspaces', async () => {
    world.builder.source = aSource('one\n')
    const { path } = await aDeployment()
    world.builder.source = aSource('two\n')
    const second = await next(path, {})
    const viewer = await world.keyOf('viewer')
    expect((await changesOf(path, second, viewer)).source.files).toMatchObject([
      { path: 'agent.ts', added: 1, removed: 1, patch: null },
    ])
    const { body: other } = await world.call('POST', '/v2/workspaces', { name: 'Other' })
    const foreign = await world.keyOf('admin', other.id)
    const changes = `${path}/revisions/${second}/changes`
    expect((await world.call('GET', changes, undefined, foreign)).status).toBe(404)
    const agent = await world.keyOf('agent')
    expect((await world.call('GET', changes, undefined, agent)).status).toBe(403)
  })

  it('are those since the last revision that served, not since one that failed', async () => {
    world.builder.source = aSource('one\n')
    const { path } = await aDeployment()
    world.builder.source = aSource('two\n')
    world.builder.plan = new BuildError('build', 'It ended with 1.')
    const { body: failed } = await world.call('POST', `${path}/revisions`, {})
    await settled(path, failed.id, 'BUILD_FAILED')
    world.builder.plan = 'built'
    const third = await next(path, {})
    const found = await changesOf(path, third)
    expect(found).toMatchObject({ changes: { since: 1 }, source: { state: 'compared' } })
    const history = async (page: string) => {
      const { body } = await world.call('GET', `${path}/revision-history${page}`)
      return body.resources.map((one: RevisionHistoryEntry) => one.changes?.since)
    }
    expect(await history('')).toEqual([1, 1, undefined])
    expect(await history('?limit=1')).toEqual([1])
  })

  it('say that a source was not noted', async () => {
    const { path } = await aDeployment()
    const second = await next(path, {})
    expect((await changesOf(path, second)).source).toMatchObject({ state: 'unknown', files: [] })
  })
})

it('notes numbers of revisions in the audit log', async () => {
  const { path, first } = await aDeployment()
  await next(path, {})
  await world.call('POST', `${path}/rollback`, { revision_id: first })
  await world.call('POST', `${path}/revisions/${first}/redeploy`)
  const { body } = await world.call('GET', '/v2/audit-log')
  const noted = body.items.map((one: { action: string; detail: { number?: number } }) => [
    one.action,
    one.detail.number,
  ])
  expect(noted).toEqual(
    expect.arrayContaining([
      ['revision.create', 2],
      ['revision.rollback', 1],
      ['revision.redeploy', 1],
    ]),
  )
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FOLLOWER_GONE_MS } from '../../../src/control-plane/rollout/build-followers.ts'
import { timestamp } from '../../../src/core/clock.ts'
import {
  aCreateRequest,
  type ControlPlaneWorld,
  startControlPlane,
} from '../../support/control-plane/control-plane.ts'

const NOON = '2099-11-20T12:00:00.000Z'
const LATER = '2099-11-20T13:00:00.000Z'
const unknown = '11111111-1111-1111-1111-111111111111'

let world: ControlPlaneWorld
let id: string
let revision: string
afterEach(() => world.close())

async function create(isReconciling: boolean): Promise<void> {
  world = await startControlPlane({ isReconciling })
  world.builder.plan = 'by hand'
  const secrets = [{ name: 'KEY', value: 'the-secret' }]
  const { body } = await world.call('POST', '/v2/deployments', aCreateRequest({ secrets }))
  id = body.id
  revision = body.latest_revision_id
}

const project = () => `/v1/projects/${id}`
const post = (path: string, body: object) => world.call('POST', project() + path, body)
const build = (body: object) => post(`/revisions/${revision}/build_logs`, body)
const messages = (body: { logs: { message: string }[] }) => body.logs.map((one) => one.message)
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`)

describe('logs', () => {
  beforeEach(() => create(false))

  it('of a build are answered in order, page by page, with what each entry has', async () => {
    world.log('build', revision, numbered(3), NOON)
    const first = await build({ order: 'asc', limit: 2 })
    expect(first.status).toBe(200)
    expect(first.body.logs[0]).toEqual({
      id: expect.any(String),
      timestamp: NOON,
      level: 'INFO',
      message: 'line 0',
    })
    expect(messages(first.body)).toEqual(['line 0', 'line 1'])
    const second = await build({ order: 'asc', limit: 2, offset: first.body.next_offset })
    expect(messages(second.body)).toEqual(['line 2'])
    expect(messages((await build({ order: 'desc', limit: 2 })).body)).toEqual(['line 2', 'line 1'])
    expect(messages((await build({})).body)).toEqual(numbered(3))
  })

  it('of a build that goes on always say where to go on', async () => {
    expect((await build({})).body).toEqual({ logs: [], next_offset: null })
    world.log('build', revision, ['one'], NOON)
    const { next_offset } = (await build({})).body
    expect((await build({ offset: next_offset })).body).toEqual({ logs: [], next_offset })
    world.log('build', revision, ['two'], LATER)
    expect(messages((await build({ offset: next_offset })).body)).toEqual(['two'])
  })

  it('of agent servers are answered by revision and for all of them', async () => {
    const { body } = await world.call('POST', `/v2/deployments/${id}/revisions`, {})
    const now = world.clock.now()
    const soon = (ms: number) => timestamp({ now: () => now + ms })
    world.log('deploy', revision, ['old'], soon(1))
    world.log('deploy', body.id, ['new'], soon(2))
    world.log('deploy', revision, ['draining'], soon(3))
    const { status, body: all } = await post('/deploy_logs', { limit: 100, order: 'desc' })
    expect(status).toBe(200)
    expect(messages(all)).toEqual(['draining', 'new', 'old'])
    expect(all.next_offset).toBeNull()
    const { body: one } = await post(`/revisions/${revision}/deploy_logs`, { order: 'asc' })
    expect(messages(one)).toEqual(['old', 'draining'])
  })

  it('are narrowed down by level, text and time; null and empty narrow nothing', async () => {
    world.log('build', revision, ['npm warn old', 'npm error Gone', 'plain'], NOON)
    world.log('build', revision, ['late'], LATER)
    const found = async (body: object) => messages((await build(body)).body)
    expect(await found({ level: 'ERROR' })).toEqual(['npm error Gone'])
    expect(await found({ level: 'warning' })).toEqual(['npm warn old'])
    expect(await found({ query: 'gone' })).toEqual(['npm error Gone'])
    expect(await found({ start_time: '2099-11-20T12:30:00' })).toEqual(['late'])
    expect(await found({ start_time: LATER, end_time: LATER })).toEqual(['late'])
    expect(await found({ end_time: '2099-11-20T13:59:59+01:00' })).toHaveLength(3)
    expect(await found({ end_time: '2099-11-21' })).toHaveLength(4)
    expect(
      await found({ level: null, query: '', start_time: null, end_time: null, offset: null }),
    ).toHaveLength(4)
  })

  it('show no secret, and let nobody search for one', async () => {
    world.log('build', revision, ['key is the-secret', 'https://me:pass@host/x'], NOON)
    const { body } = await build({})
    expect(messages(body)).toEqual(['key is ***', 'https://***@host/x'])
    expect((await build({ query: 'the-secret' })).body.logs).toEqual([])
  })

  it('are answered in the forms of /v2 too, and under /api-host', async () => {
    world.log('build', revision, numbered(3), NOON)
    world.log('deploy', revision, ['{"level":"error","msg":"failed","run_id":"r-1"}', 'x'], NOON)
    const path = `/v2/deployments/${id}/revisions/${revision}/logs`
    const list = async (query: string) => (await world.call('GET', path + query)).body
    expect(messages(await list('?type=build&limit=2'))).toEqual(['line 0', 'line 1'])
    expect(messages(await list('?type=deploy&run_id=r-1'))).toEqual(['failed {"run_id":"r-1"}'])
    expect((await world.call('GET', path)).status).toBe(422)

    const entries = async (query: string) =>
      (await world.call('GET', `/api-host/v2/deployment-logs?deployment_id=${id}${query}`)).body
    const first = await entries(`&revision_id=${revision}&log_type=BUILD&page_size=2`)
    expect(first.items).toHaveLength(2)
    const rest = await entries(`&log_type=BUILD&cursor=${first.next_cursor}`)
    expect(rest).toMatchObject({ items: [{ message: 'line 2' }], next_cursor: null })
    expect((await entries('&sort_order=desc&level=INFO')).items).toMatchObject([{ message: 'x' }])
  })

  it.each([
    [{ order: 'up' }, 'order'],
    [{ limit: 0 }, 'limit'],
    [{ limit: 1001 }, 'limit'],
    [{ offset: 'nonsense' }, 'offset'],
    [{ level: 'LOUD' }, 'level'],
    [{ start_time: 'yesterday' }, 'start_time'],
    [{ end_time: '2099-99-99' }, 'end_time'],
  ])('are answered with 422 for %j', async (body, member) => {
    const { status, body: answer } = await build(body)
    expect(status).toBe(422)
    expect(answer.detail[0].loc).toEqual(['body', member])
  })

  it('are answered with 404 for what is not there or is another workspace’s', async () => {
    const at = (of: string, one: string) => `/v1/projects/${of}/revisions/${one}/build_logs`
    expect((await world.call('POST', at(id, unknown), {})).body.detail).toBe(
      `Revision ID ${unknown} not found.`,
    )
    const { status, body } = await world.call('POST', at(unknown, revision), {})
    expect([status, body.detail]).toEqual([404, `Deployment ID ${unknown} not found.`])
    const foreign = await world.keyOf('admin', unknown)
    for (const path of [`${project()}/deploy_logs`, at(id, revision)]) {
      expect((await world.call('POST', path, {}, foreign)).status).toBe(404)
    }
    const query = `/v2/deployment-logs?deployment_id=${id}`
    expect((await world.call('GET', query, undefined, foreign)).status).toBe(404)
    const agent = await world.keyOf('agent')
    expect((await world.call('GET', query, undefined, agent)).status).toBe(403)
  })
})

describe('the logs of a deployment', () => {
  it('go away with it', async () => {
    await create(true)
    const source = { revision_id: revision, sinceMs: 0, mask: (text: string) => text }
    const left = async () => {
      const pages = (['build', 'deploy'] as const).map((kind) =>
        world.logs.read({ kind, sources: [source], order: 'asc', limit: 10 }),
      )
      return (await Promise.all(pages)).map((page) => page.entries.length)
    }
    world.log('build', revision, ['built'])
    world.log('deploy', revision, ['deployed'])
    expect(await left()).toEqual([1, 1])
    await world.call('DELETE', `/v2/deployments/${id}`)
    await expect.poll(left).toEqual([0, 0])
  })
})

describe('a build log that is followed', () => {
  beforeEach(() => create(true))

  const status = async (key?: string) => {
    const path = `/v2/deployments/${id}/revisions/${revision}`
    return (await world.call('GET', path, undefined, key)).body.status
  }

  it('keeps BUILDING to its follower until it is read, and to nobody else', async () => {
    const viewer = await world.keyOf('viewer')
    await expect.poll(() => world.builder.running.has(revision)).toBe(true)
    world.log('build', revision, numbered(3))
    const { next_offset } = (await build({ order: 'asc', limit: 1 })).body
    world.builder.running.get(revision)?.end()
    await expect.poll(() => status(viewer)).toBe('DEPLOYED')
    expect(await status()).toBe('BUILDING')
    const second = (await build({ order: 'asc', limit: 1, offset: next_offset })).body
    expect(await status()).toBe('BUILDING')
    const third = (await build({ order: 'asc', limit: 1, offset: second.next_offset })).body
    expect([messages(third), third.next_offset]).toEqual([['line 2'], null])
    expect(await status()).toBe('DEPLOYED')
  })

  it('is given up when nobody has asked for ten seconds', async () => {
    await expect.poll(() => world.builder.running.has(revision)).toBe(true)
    await build({ order: 'asc' })
    world.builder.running.get(revision)?.end()
    await expect.poll(() => world.driver.starts.length).toBe(1)
    expect(await status()).toBe('BUILDING')
    world.clock.skip(FOLLOWER_GONE_MS)
    await expect.poll(() => status()).toBe('DEPLOYED')
  })

  it('is begun before the request that made the revision is answered', async () => {
    expect(await status()).toBe('BUILDING')
  })
})

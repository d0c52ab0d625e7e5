/** The webhooks of a deployment: checked, handed to its agent servers, kept over revisions. */
import { expect, it, vi } from 'vitest'
import { BuildError } from '../../../src/core/deployment/builds/build.ts'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const world = forEachTest(startControlPlane)
const ALL = { url: 'https://hooks.example.com/all', events: 'all' }
const FAILURES = { url: 'https://hooks.example.com/failures', events: 'failures' }

const REPO = { repo_url: 'https://git.example.com/agent.git' }

async function create(webhooks?: object[]) {
  const source_config = { ...REPO, ...(webhooks && { webhooks }) }
  const { body } = await world.call('POST', '/v2/deployments', aCreateRequest({ source_config }))
  const path = `/v2/deployments/${body.id}`
  await over(path, body.latest_revision_id)
  return { path, answer: body }
}

const set = async (path: string, webhooks: object[]) =>
  world.call('PATCH', path, { source_config: { webhooks } })

const over = (path: string, id: string) =>
  vi.waitFor(
    async () => {
      const { body } = await world.call('GET', `${path}/revisions/${id}`)
      expect(body.status).toMatch(/DEPLOYED|FAILED/)
      return body
    },
    { timeout: 30_000, interval: 5 },
  )

/** What the revision's agent servers were started with. */
const handed = (revision_id: string) =>
  world.driver.starts
    .find((spec) => spec.revision_id === revision_id)
    ?.secrets.filter(({ name }) => name === 'RUNYARD_WEBHOOKS')
    .map(({ value }) => JSON.parse(value))

it('are handed to its agent servers', async () => {
  const { path, answer } = await create([{ url: ALL.url }, FAILURES])
  expect(answer.source_config.webhooks).toEqual([ALL, FAILURES])
  expect(handed(answer.latest_revision_id)).toEqual([[ALL, FAILURES]])
  const { body } = await world.call('GET', path)
  expect(body.secrets.map(({ name }: { name: string }) => name)).not.toContain('RUNYARD_WEBHOOKS')
})

it('are changed with a new revision of the same build, and stay with a rollback', async () => {
  const { path, answer } = await create()
  const first = answer.latest_revision_id
  expect([answer.source_config.webhooks, handed(first)]).toEqual([[], []])
  const changed = (await set(path, [ALL])).body
  expect(changed.source_config.webhooks).toEqual([ALL])
  const second = changed.latest_revision_id
  expect(second).not.toBe(first)
  expect(await over(path, second)).toMatchObject({ status: 'DEPLOYED' })
  expect(handed(second)).toEqual([[ALL]])
  const { body: history } = await world.call('GET', `${path}/revision-history`)
  expect(history.resources[0].changes.fields).toEqual([
    { name: 'webhooks', before: null, after: [ALL] },
  ])
  expect((await set(path, [ALL])).body.latest_revision_id).toBe(second)

  const back = (await world.call('POST', `${path}/rollback`, {})).body.id
  await over(path, back)
  expect(handed(back)).toEqual([[ALL]])
  const none = (await set(path, [])).body
  await over(path, none.latest_revision_id)
  expect([none.source_config.webhooks, handed(none.latest_revision_id)]).toEqual([[], []])
})

it('are changed without the secrets of a later revision that failed', async () => {
  const { path, answer } = await create()
  const secrets = [{ name: 'A', value: 'of the failed one' }]
  world.builder.plan = new BuildError('install', 'no network')
  const failed = (await world.call('PATCH', path, { secrets })).body.latest_revision_id
  expect(await over(path, failed)).toMatchObject({ status: 'BUILD_FAILED' })
  const changed = (await set(path, [ALL])).body
  expect(changed.secrets).toMatchObject(secrets)
  const second = changed.latest_revision_id
  expect(await over(path, second)).toMatchObject({ status: 'DEPLOYED' })
  expect(handed(second)).toEqual([[ALL]])
  const started = (id: string) =>
    world.driver.starts
      .find((spec) => spec.revision_id === id)
      ?.secrets.filter(({ name }) => name !== 'RUNYARD_WEBHOOKS')
  expect(started(second)).toEqual(started(answer.latest_revision_id))
})

it.each([
  ['a path of the server', [{ url: '/runs' }]],
  ['a password', [{ url: 'https://ann:secret@hooks.example.com/' }]],
  ['another protocol', [{ url: 'ftp://hooks.example.com/' }]],
  ['an unknown event', [{ ...ALL, events: 'some' }]],
  ['a URL twice', [ALL, { ...ALL, events: 'failures' }]],
  ['more than ten', Array.from({ length: 11 }, (_, n) => ({ url: `https://a.example/${n}` }))],
])('are refused: %s', async (_what, webhooks) => {
  const request = aCreateRequest({ source_config: { ...REPO, webhooks } })
  expect((await world.call('POST', '/v2/deployments', request)).status).toBe(422)
})

/** Making a deployment public and private: who may, what is told, and what the gateway hears of it. */
import { expect, it } from 'vitest'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const world = forEachTest(startControlPlane)

const create = async (change: object) =>
  (await world.call('POST', '/v2/deployments', aCreateRequest({ name: 'support', ...change }))).body
const patch = (id: string, body: object, key?: string) =>
  world.call('PATCH', `/v2/deployments/${id}`, body, key)
const isPublic = () => world.targets.entrance('support').isPublic

it('is no deployment that does not ask for it', async () => {
  expect(await create({})).toMatchObject({ is_public: false })
  expect(isPublic()).toBe(false)
})

it('is one from the start, where that is asked for', async () => {
  const { id, is_public } = await create({ is_public: true })
  expect(is_public).toBe(true)
  expect(isPublic()).toBe(true)
  const { body } = await world.call('GET', `/v2/audit-log?target_id=${id}`)
  expect(body.items[0]).toMatchObject({ detail: { is_public: true } })
})

it('is made public and private by a PATCH, at once and without a revision', async () => {
  const { id, latest_revision_id } = await create({})
  const made = await patch(id, { is_public: true })
  expect(made).toMatchObject({ status: 200, body: { is_public: true, latest_revision_id } })
  expect(isPublic()).toBe(true)
  expect((await patch(id, { display_name: 'Support', is_public: null })).body.is_public).toBe(true)
  const { body } = await world.call('GET', `/v2/audit-log?target_id=${id}&action=deployment.update`)
  expect(body.items.at(-1)).toMatchObject({ detail: { fields: ['is_public'], is_public: true } })
  expect((await patch(id, { is_public: false })).body.is_public).toBe(false)
  expect(isPublic()).toBe(false)
})

it('stays public over a restart', async () => {
  await create({ is_public: true })
  const { targets } = await world.restart()
  expect(targets.entrance('support')).toEqual({ isPublic: true, hosts: [] })
})

it('is refused to those who may not change deployments, and as anything but a truth', async () => {
  const { id } = await create({})
  expect((await patch(id, { is_public: true }, await world.keyOf('viewer'))).status).toBe(403)
  expect((await patch(id, { is_public: true }, await world.keyOf('developer'))).status).toBe(200)
  expect((await patch(id, { is_public: 'yes' })).status).toBe(422)
})

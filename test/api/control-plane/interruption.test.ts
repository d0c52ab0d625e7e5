import { beforeEach, describe, expect, it } from 'vitest'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

let path: string
let first: string
const world = forEachTest(startControlPlane)
beforeEach(async () => {
  world.builder.plan = 'by hand'
  const { body } = await world.call('POST', '/v2/deployments', aCreateRequest())
  path = `/v2/deployments/${body.id}`
  first = body.latest_revision_id
})

const read = async (id: string) => (await world.call('GET', `${path}/revisions/${id}`)).body
const interrupt = (id: string, as = 'interrupt', key?: string) =>
  world.call('POST', `${path}/revisions/${id}/${as}`, undefined, key)

describe('interrupting a revision', () => {
  it('ends its build and lets the next one begin at once', async () => {
    await expect.poll(() => world.builder.running.has(first)).toBe(true)
    const next = (await world.call('POST', `${path}/revisions`, {})).body.id
    expect(await read(next)).toMatchObject({ status: 'QUEUED' })
    expect(await interrupt(first)).toMatchObject({ status: 204, body: undefined })
    expect(await read(first)).toMatchObject({
      status: 'INTERRUPTED',
      status_message: 'It was interrupted while it was BUILDING.',
    })
    expect(await read(next)).toMatchObject({ status: 'BUILDING' })
    await expect.poll(() => [...world.builder.running.keys()]).toEqual([next])
    world.builder.running.get(next)?.end()
    await expect.poll(() => read(next)).toMatchObject({ status: 'DEPLOYED' })
    expect(await read(first)).toMatchObject({ status: 'INTERRUPTED' })
  })

  it('ends the agent server of one that does not become healthy; the old one serves on', async () => {
    world.builder.plan = 'built'
    world.builder.running.get(first)?.end()
    await expect.poll(() => read(first)).toMatchObject({ status: 'DEPLOYED' })
    world.driver.isHealthyAtOnce = false
    const stuck = (await world.call('POST', `${path}/revisions`, {})).body.id
    await expect.poll(() => read(stuck)).toMatchObject({ status: 'DEPLOYING' })
    expect((await interrupt(stuck, 'interruption')).status).toBe(204)
    await expect.poll(() => world.driver.present).toEqual([first])
    expect((await world.call('GET', path)).body).toMatchObject({ active_revision_id: first })
  })

  it('of one that waits leaves the one before it alone', async () => {
    const waiting = (await world.call('POST', `${path}/revisions`, {})).body.id
    expect((await interrupt(waiting)).status).toBe(204)
    expect(await read(waiting)).toMatchObject({ status: 'INTERRUPTED' })
    expect(await read(first)).toMatchObject({ status: 'BUILDING' })
    expect(world.builder.running.has(first)).toBe(true)
  })

  it('again is no error; of one that has ended otherwise it is a conflict', async () => {
    await interrupt(first)
    expect((await interrupt(first)).status).toBe(204)
    world.builder.plan = 'built'
    const next = (await world.call('POST', `${path}/revisions`, {})).body.id
    await expect.poll(() => read(next)).toMatchObject({ status: 'DEPLOYED' })
    const { status, body } = await interrupt(next)
    expect(status).toBe(409)
    expect(body.detail).toBe(`Revision ID ${next} has ended already: it is DEPLOYED.`)
  })

  it('is answered with 404 for an unknown revision, and with 403 to a viewer', async () => {
    const unknown = '11111111-1111-1111-1111-111111111111'
    expect((await interrupt(unknown)).body.detail).toBe(`Revision ID ${unknown} not found.`)
    expect((await interrupt(first, 'interrupt', await world.keyOf('viewer'))).status).toBe(403)
  })
})

import { expect, it, vi } from 'vitest'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const world = forEachTest(startControlPlane)

const call = (method: string, path: string, body?: unknown) => world.call(method, path, body)

async function deployed(path: string, id: string): Promise<void> {
  const look = async () =>
    expect((await call('GET', `${path}/revisions/${id}`)).body.status).toBe('DEPLOYED')
  await vi.waitFor(look, { timeout: 30_000, interval: 5 })
}

async function aDeployment() {
  const { body } = await call('POST', '/v2/deployments', {
    ...aCreateRequest(),
    secrets: [
      { name: 'KEPT', value: 'one' },
      { name: 'TURNED', value: 'before' },
      { name: 'GONE', value: 'x' },
    ],
  })
  const path = `/v2/deployments/${body.id}`
  await deployed(path, body.latest_revision_id)
  return { path, first: body.latest_revision_id as string }
}

it('tells who made each revision and why, when its statuses began, and what it changed', async () => {
  const { path, first } = await aDeployment()
  const { body: changed } = await call('PATCH', path, {
    source_revision_config: { repo_ref: 'next' },
    source_config: { resource_spec: { max_scale: 3 } },
    secrets: [
      { name: 'KEPT', value: 'one' },
      { name: 'TURNED', value: 'after' },
      { name: 'NEW', value: 'y' },
    ],
  })
  await deployed(path, changed.latest_revision_id)
  const { body: back } = await call('POST', `${path}/rollback`, { revision_id: first })
  await deployed(path, back.id)
  const { status, body } = await call('GET', `${path}/revision-history`)
  expect(status).toBe(200)
  expect(body.offset).toBe(3)
  const [third, second, one] = body.resources
  expect(one).toMatchObject({ number: 1, made_for: 'create', repeats: null, changes: null })
  expect(second).toMatchObject({
    revision_id: changed.latest_revision_id,
    made_by: one.made_by,
    made_for: 'change',
    changes: {
      since: 1,
      fields: expect.arrayContaining([
        { name: 'repo_ref', before: expect.anything(), after: 'next' },
        { name: 'resource_spec.max_scale', before: null, after: 3 },
      ]),
      secrets: { added: ['NEW'], changed: ['TURNED'], removed: ['GONE'] },
    },
  })
  expect(third).toMatchObject({ number: 3, made_for: 'rollback', repeats: 1 })
  expect(third.steps.map((step: { status: string }) => step.status)).toEqual([
    'CREATING',
    'QUEUED',
    'AWAITING_BUILD',
    'BUILDING',
    'AWAITING_DEPLOY',
    'DEPLOYING',
    'DEPLOYED',
  ])
  // A value of a secret is told to nobody.
  expect(JSON.stringify(body)).not.toContain(`"one"`)
})

it('answers page by page, and compares across their border', async () => {
  const { path } = await aDeployment()
  const { body } = await call('PATCH', path, { source_revision_config: { repo_ref: 'next' } })
  await deployed(path, body.latest_revision_id)
  const page = await call('GET', `${path}/revision-history?limit=1`)
  expect(page.body.resources).toMatchObject([{ number: 2, changes: { since: 1 } }])
  const last = await call('GET', `${path}/revision-history?limit=1&offset=${page.body.offset}`)
  expect(last.body.resources).toMatchObject([{ number: 1, changes: null }])
})

it('is not found for a deployment that is not there', async () => {
  const path = '/v2/deployments/00000000-0000-4000-8000-00000000dead/revision-history'
  expect(await call('GET', path)).toMatchObject({ status: 404 })
})

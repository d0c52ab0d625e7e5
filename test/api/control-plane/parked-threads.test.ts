import { beforeEach, expect, it, vi } from 'vitest'
import type { ParkedThreads } from '../../../src/core/agent/parked-threads.ts'
import { aCreateRequest, startControlPlane } from '../../support/control-plane/control-plane.ts'
import { forEachTest } from '../../support/running.ts'

const VERDICT: ParkedThreads = {
  checked_at: '2026-11-20T12:00:00.000Z',
  parked: 3,
  broken: 1,
  threads: [
    {
      thread_id: 'thread-1',
      status: 'interrupted',
      graph_id: 'agent',
      is_graph_missing: false,
      missing_nodes: ['review'],
      missing_keys: [],
    },
  ],
}

const world = forEachTest(startControlPlane)
beforeEach(async () => {
  world.driver.parked.set('any', VERDICT)
})

async function deploy(rule?: 'warn' | 'block') {
  const source_config = { repo_url: 'https://git.example.com/agent.git', parked_threads: rule }
  const { body } = await world.call('POST', '/v2/deployments', aCreateRequest({ source_config }))
  const path = `/v2/deployments/${body.id}`
  const first = await over(path, body.latest_revision_id)
  return { path, first, answer: body }
}

async function change(path: string) {
  return over(path, await startedChange(path))
}

/** A new revision, on its way. */
async function startedChange(path: string): Promise<string> {
  const request = { source_revision_config: { repo_ref: 'next' } }
  return (await world.call('PATCH', path, request)).body.latest_revision_id
}

async function changeWebhooks(path: string, events = 'all'): Promise<string> {
  const webhooks = [{ url: 'https://hooks.example.com/', events }]
  const { body } = await world.call('PATCH', path, { source_config: { webhooks } })
  return body.latest_revision_id
}

/** The revision at the end of its rollout. */
const over = (path: string, id: string) =>
  vi.waitFor(
    async () => {
      const { body } = await world.call('GET', `${path}/revisions/${id}`)
      expect(body.status).toMatch(/DEPLOYED|FAILED/)
      return body
    },
    { timeout: 30_000, interval: 5 },
  )

it('are told of on the revision, which takes over all the same', async () => {
  const { path, first } = await deploy()
  expect(first.parked_threads).toBeNull()
  expect(await change(path)).toMatchObject({ status: 'DEPLOYED', parked_threads: VERDICT })
})

it('keep the old revision where the deployment says so', async () => {
  const { path, first, answer } = await deploy('block')
  expect(answer.source_config.parked_threads).toBe('block')
  const second = await change(path)
  expect(second).toMatchObject({ status: 'DEPLOY_FAILED', parked_threads: VERDICT })
  expect(second.status_message).toContain('node review of agent')
  expect(world.targets.revisionOf('support')).toBe(first.id)
  expect(world.driver.activated).not.toContain(second.id)

  const request = { source_config: { parked_threads: 'warn' } }
  expect((await world.call('PATCH', path, request)).status).toBe(200)
  expect(await change(path)).toMatchObject({ status: 'DEPLOYED' })
})

it('do not bar the way back', async () => {
  const { path } = await deploy()
  await change(path)
  await world.call('PATCH', path, { source_config: { parked_threads: 'block' } })
  const back = (await world.call('POST', `${path}/rollback`, {})).body.id
  expect(await over(path, back)).toMatchObject({ status: 'DEPLOYED', parked_threads: VERDICT })
  expect((await world.call('GET', path)).body.source_config.parked_threads).toBe('block')
})

it('bar a revision whose webhooks change on its way', async () => {
  const { path, first } = await deploy('block')
  world.builder.plan = 'by hand'
  const second = await startedChange(path)
  await vi.waitFor(() => expect(world.builder.running.has(second)).toBe(true))
  const third = await changeWebhooks(path)
  expect(third).not.toBe(second)
  world.builder.plan = 'built'
  world.builder.running.get(second)?.end()
  expect(await over(path, third)).toMatchObject({ status: 'DEPLOY_FAILED' })
  expect(world.targets.revisionOf('support')).toBe(first.id)
  // The revision that serves is deployed again by the same change, with the same threads.
  const fourth = await changeWebhooks(path, 'failures')
  expect(await over(path, fourth)).toMatchObject({ status: 'DEPLOYED', parked_threads: VERDICT })
})

it('are only warned of or blocked', async () => {
  const request = aCreateRequest({ source_config: { repo_url: 'x', parked_threads: 'ignore' } })
  expect((await world.call('POST', '/v2/deployments', request)).status).toBe(422)
})

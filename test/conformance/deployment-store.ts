/** What every store of deployments must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../src/core/deployment/control-plane-store.ts'
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from '../../src/core/deployment/deployment.ts'
import { SOURCES, type Source } from '../../src/core/deployment/sources/table.ts'
import { aDeployment, anUpload, aRevision } from '../support/control-plane/control-plane-records.ts'

const LATER = '2026-11-20T13:00:00.000Z'

export function testDeploymentStore(open: () => ControlPlaneStore): void {
  describe('deployments', () => {
    it('gives back a deployment as it was stored', async () => {
      const { deployments } = open()
      const deployment = aDeployment({ display_name: 'Support ü', secrets: [] })
      expect(await deployments.insert(deployment)).toBe(true)
      expect(await deployments.get(deployment.id)).toEqual(deployment)
    })

    it('are counted by status', async () => {
      const { deployments, revisions } = open()
      expect(await deployments.countByStatus()).toEqual({})
      await deployments.insert(aDeployment({ name: 'one', status: 'READY' }))
      await deployments.insert(aDeployment({ name: 'two', status: 'READY' }))
      expect(await deployments.countByStatus()).toEqual({ READY: 2 })
      expect(await revisions.countByStatus()).toEqual({})
    })

    it('finds nothing under an unknown id', async () => {
      const { deployments } = open()
      expect(await deployments.get(randomUUID())).toBeUndefined()
    })

    it.each([
      ['my_agent', 'my_agent'],
      ['my_agent', 'my-agent'],
    ])('takes %s and then no %s: as host names they are one', async (first, second) => {
      const { deployments } = open()
      expect(await deployments.insert(aDeployment({ name: first }))).toBe(true)
      const clash = aDeployment({ name: second, tenant_id: randomUUID() })
      expect(await deployments.insert(clash)).toBe(false)
      expect(await deployments.get(clash.id)).toBeUndefined()
    })

    it.each(DEPLOYMENT_STATUSES)('stores the status %s', async (status) => {
      const { deployments } = open()
      const deployment = aDeployment({ status })
      await deployments.insert(deployment)
      expect(await deployments.get(deployment.id)).toMatchObject({ status })
    })

    it.each(SOURCES)('stores the source %s', async (source) => {
      const { deployments } = open()
      const deployment = aDeployment({ source })
      await deployments.insert(deployment)
      expect(await deployments.get(deployment.id)).toMatchObject({ source })
    })

    it('refuses a status and a source that are not in the lists', async () => {
      const { deployments } = open()
      const status = 'SLEEPING' as DeploymentStatus
      await expect(deployments.insert(aDeployment({ status }))).rejects.toThrow()
      const source = 'floppy' as Source
      await expect(deployments.insert(aDeployment({ source }))).rejects.toThrow()
      const deployment = aDeployment()
      await deployments.insert(deployment)
      const patch = { status, updated_at: LATER }
      await expect(deployments.update(deployment.id, patch)).rejects.toThrow()
      expect(await deployments.get(deployment.id)).toEqual(deployment)
    })

    it('changes what an update names, and nothing else', async () => {
      const { deployments } = open()
      const [one, other] = [aDeployment({ display_name: 'before' }), aDeployment()]
      await deployments.insert(one)
      await deployments.insert(other)
      const patch = {
        source_config: { build_on_push: true },
        secrets: [{ name: 'A', value: 'new' }],
        status: 'READY' as const,
        updated_at: LATER,
      }
      await deployments.update(one.id, patch)
      expect(await deployments.get(one.id)).toEqual({ ...one, ...patch })
      await deployments.update(one.id, { display_name: null, secrets: [], updated_at: LATER })
      expect(await deployments.get(one.id)).toEqual({
        ...one,
        ...patch,
        display_name: null,
        secrets: [],
      })
      expect(await deployments.get(other.id)).toEqual(other)
    })

    it('notes which revision serves, and that none does any more', async () => {
      const { deployments, revisions } = open()
      const deployment = aDeployment()
      await deployments.insert(deployment)
      const { id } = await revisions.insert(aRevision({ deployment_id: deployment.id }))
      await deployments.update(deployment.id, { active_revision_id: id, updated_at: LATER })
      expect(await deployments.get(deployment.id)).toMatchObject({ active_revision_id: id })
      await deployments.update(deployment.id, { active_revision_id: null, updated_at: LATER })
      expect(await deployments.get(deployment.id)).toMatchObject({ active_revision_id: null })
    })

    it('lets no other deployment’s revision serve', async () => {
      const { deployments, revisions } = open()
      const [one, other] = [aDeployment(), aDeployment()]
      await deployments.insert(one)
      await deployments.insert(other)
      const { id } = await revisions.insert(aRevision({ deployment_id: other.id }))
      const patch = { active_revision_id: id, updated_at: LATER }
      await expect(deployments.update(one.id, patch)).rejects.toThrow()
      await expect(
        deployments.update(one.id, { ...patch, active_revision_id: randomUUID() }),
      ).rejects.toThrow()
    })

    it('lists every deployment of every workspace, the oldest first', async () => {
      const { deployments } = open()
      const [one, other] = [aDeployment(), aDeployment({ tenant_id: randomUUID() })]
      const newer = { ...other, created_at: LATER }
      await deployments.insert(newer)
      await deployments.insert(one)
      expect(await deployments.listAll()).toEqual([one, newer])
      expect(await deployments.listIds()).toEqual([one.id, newer.id])
    })

    it('removes a deployment with its revisions and uploads, and frees its name', async () => {
      const { deployments, revisions, uploads } = open()
      const [one, other] = [aDeployment({ name: 'one' }), aDeployment()]
      await deployments.insert(one)
      await deployments.insert(other)
      const revision = await revisions.insert(aRevision({ deployment_id: one.id }))
      const kept = await revisions.insert(aRevision({ deployment_id: other.id }))
      const upload = anUpload({ deployment_id: one.id })
      await uploads.insert(upload)
      await deployments.update(one.id, { active_revision_id: revision.id, updated_at: LATER })
      await deployments.delete(one.id)
      expect(await deployments.get(one.id)).toBeUndefined()
      expect(await revisions.get(one.id, revision.id)).toBeUndefined()
      expect(await uploads.get(upload.object_path)).toBeUndefined()
      expect(await revisions.get(other.id, kept.id)).toEqual(kept)
      expect(await deployments.insert(aDeployment({ name: 'one' }))).toBe(true)
    })

    testList(open)
  })
}

function testList(open: () => ControlPlaneStore): void {
  const tenant_id = randomUUID()

  async function listNames(query: { name?: string; name_contains?: string; page?: number[] }) {
    const { deployments } = open()
    const names = ['agent', 'my-agent', 'my_agents', 'other']
    for (const [hour, name] of names.entries()) {
      const created_at = `2026-11-20T1${hour}:00:00.000Z`
      await deployments.insert(aDeployment({ tenant_id, name, created_at }))
    }
    await deployments.insert(aDeployment({ tenant_id: randomUUID(), name: 'foreign-agent' }))
    const { page: [limit = 10, offset = 0] = [], ...filter } = query
    const found = await deployments.list({ tenant_id, limit, offset, ...filter })
    return found.map((deployment) => deployment.name)
  }

  it('lists and counts by id, status and type, each or together', async () => {
    const { deployments } = open()
    const of = (change: Parameters<typeof aDeployment>[0]) => aDeployment({ tenant_id, ...change })
    const type = (deployment_type: string | null) => ({ source_config: { deployment_type } })
    const ready = of({ status: 'READY', ...type('dev') })
    const free = of({ status: 'READY', ...type('dev_free') })
    const plain = of({ status: 'UNUSED', ...type(null) })
    for (const one of [ready, free, plain]) await deployments.insert(one)
    const find = async (filter: object) => {
      const found = await deployments.list({ tenant_id, limit: 10, offset: 0, ...filter })
      expect(await deployments.count({ tenant_id, ...filter })).toBe(found.length)
      return found.map(({ id }) => id).sort()
    }
    const ids = (...of: { id: string }[]) => of.map(({ id }) => id).sort()
    expect(await find({ ids: [], statuses: [], deployment_types: [] })).toHaveLength(3)
    expect(await find({ ids: [ready.id, plain.id] })).toEqual(ids(ready, plain))
    expect(await find({ ids: [randomUUID()] })).toEqual([])
    expect(await find({ statuses: ['READY', 'UNKNOWN'] })).toEqual(ids(ready, free))
    expect(await find({ deployment_types: ['prod'] })).toEqual(ids(plain))
    expect(await find({ deployment_types: ['dev', 'dev_free'] })).toEqual(ids(ready, free))
    expect(await find({ statuses: ['READY'], deployment_types: ['dev_free'] })).toEqual(ids(free))
  })

  it.each([
    ['the whole workspace, newest first', {}, ['other', 'my_agents', 'my-agent', 'agent']],
    ['all for an empty text', { name_contains: '' }, ['other', 'my_agents', 'my-agent', 'agent']],
    ['the exact name first', { name_contains: 'agent' }, ['agent', 'my_agents', 'my-agent']],
    ['an underscore as nothing but itself', { name_contains: '_' }, ['my_agents']],
    ['a percent sign as nothing but itself', { name_contains: '%' }, []],
    ['one whole name', { name: 'my-agent' }, ['my-agent']],
    ['a page', { page: [2, 1] }, ['my_agents', 'my-agent']],
    ['nothing beyond the end', { page: [10, 4] }, []],
  ])('lists %s', async (_case, query, expected) => {
    expect(await listNames(query)).toEqual(expected)
  })
}

/** What every store of revisions must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../src/core/deployment/control-plane-store.ts'
import {
  REVISION_STATUSES,
  REVISION_TRANSITIONS,
  type RevisionStatus,
} from '../../src/core/deployment/revision.ts'
import { aDeployment, aRevision } from '../support/control-plane/control-plane-records.ts'

const LATER = '2026-11-20T13:00:00.000Z'
const UNDER_WAY = ['AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING'] as const

export function testRevisionStore(open: () => ControlPlaneStore): void {
  async function deploy(): Promise<string> {
    const deployment = aDeployment()
    await open().deployments.insert(deployment)
    return deployment.id
  }

  /** A revision of the deployment (or of a new one) at this status. */
  async function revisionAt(status: RevisionStatus, deployment_id?: string) {
    const revision = aRevision({ deployment_id: deployment_id ?? (await deploy()), status })
    return open().revisions.insert(revision)
  }

  describe('revisions', () => {
    it('gives back a revision as it was stored, with its number', async () => {
      const { revisions } = open()
      const revision = aRevision({ deployment_id: await deploy(), status_message: 'ü' })
      const stored = await revisions.insert(revision)
      const steps = [{ status: 'CREATING', began_at: revision.created_at }]
      expect(stored).toEqual({ ...revision, number: 1, steps })
      expect(await revisions.get(stored.deployment_id, stored.id)).toEqual(stored)
    })

    it('notes when each status began', async () => {
      const { id, deployment_id, created_at } = await revisionAt('CREATING')
      const { revisions } = open()
      const step = { from: 'CREATING', to: 'QUEUED', updated_at: LATER } as const
      expect(await revisions.move(id, step)).toBe(true)
      expect(await revisions.move(id, step)).toBe(false)
      expect((await revisions.get(deployment_id, id))?.steps).toEqual([
        { status: 'CREATING', began_at: created_at },
        { status: 'QUEUED', began_at: LATER },
      ])
    })

    it('counts each deployment’s revisions by themselves', async () => {
      const [one, other] = [await deploy(), await deploy()]
      const numbers: number[] = []
      for (const id of [one, one, other, one, other]) {
        numbers.push((await revisionAt('QUEUED', id)).number)
      }
      expect(numbers).toEqual([1, 2, 1, 3, 2])
    })

    it('gives every one of many inserted at once its own number', async () => {
      const id = await deploy()
      const inserts = Array.from({ length: 20 }, () => revisionAt('QUEUED', id))
      const numbers = (await Promise.all(inserts)).map((revision) => revision.number)
      expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
    })

    it('makes the new revision the deployment’s latest, within a transaction too', async () => {
      const store = open()
      const id = await deploy()
      const first = await revisionAt('QUEUED', id)
      expect(await store.deployments.get(id)).toMatchObject({ latest_revision_id: first.id })
      const second = await store.transaction(({ revisions }) =>
        revisions.insert(aRevision({ deployment_id: id })),
      )
      expect(await store.deployments.get(id)).toMatchObject({ latest_revision_id: second.id })
    })

    it('refuses a revision of a deployment that does not exist', async () => {
      const deployment_id = randomUUID()
      await expect(open().revisions.insert(aRevision({ deployment_id }))).rejects.toMatchObject({
        code: 'not_found',
        message: `Deployment ID ${deployment_id} not found.`,
      })
    })

    it('does not show a revision under another deployment', async () => {
      const { id } = await revisionAt('QUEUED')
      expect(await open().revisions.get(await deploy(), id)).toBeUndefined()
    })

    it('shows revisions of several deployments at a glance', async () => {
      const all = [await revisionAt('DEPLOYED'), await revisionAt('QUEUED')]
      const glances = await open().revisions.glances([...all.map(({ id }) => id), randomUUID()])
      const expected = all.map(({ id, number, status }) => ({ id, number, status }))
      expect(new Set(glances)).toEqual(new Set(expected))
      expect(await open().revisions.glances([])).toEqual([])
    })

    it('lists newest first, in pages, by status when asked', async () => {
      const { revisions } = open()
      const id = await deploy()
      for (const status of ['DEPLOYED', 'BUILD_FAILED', 'DEPLOYED', 'QUEUED'] as const) {
        await revisionAt(status, id)
      }
      await revisionAt('DEPLOYED')
      const numbers = async (page: Parameters<typeof revisions.list>[1]) =>
        (await revisions.list(id, page)).map((revision) => revision.number)
      expect(await numbers({ limit: 10, offset: 0 })).toEqual([4, 3, 2, 1])
      expect(await numbers({ limit: 2, offset: 1 })).toEqual([3, 2])
      expect(await numbers({ limit: 10, offset: 4 })).toEqual([])
      expect(await numbers({ limit: 10, offset: 0, statuses: ['DEPLOYED'] })).toEqual([3, 1])
      const statuses: RevisionStatus[] = ['QUEUED', 'BUILD_FAILED']
      expect(await numbers({ limit: 1, offset: 1, statuses })).toEqual([2])
      expect(await numbers({ limit: 10, offset: 0, statuses: [] })).toEqual([])
      const [, , second] = await revisions.list(id, { limit: 3, offset: 0 })
      const also = second?.id ?? null
      expect(await numbers({ limit: 10, offset: 0, statuses: ['QUEUED'], also })).toEqual([4, 2])
      expect(await numbers({ limit: 10, offset: 0, statuses: [], also: null })).toEqual([])
    })

    it('finds the last one before a number that began to serve, else the last one', async () => {
      const { revisions } = open()
      const id = await deploy()
      const numberBefore = async (number: number) => (await revisions.before(id, number))?.number
      await revisionAt('BUILD_FAILED', id)
      await revisionAt('BUILD_FAILED', id)
      const served = await revisionAt('DEPLOYING', id)
      const at = new Date().toISOString()
      const step = { from: 'DEPLOYING', to: 'DEPLOYED', deployed_at: at, updated_at: at } as const
      await revisions.move(served.id, step)
      await revisionAt('BUILD_FAILED', id)
      await revisionAt('DEPLOYED')
      expect(await numberBefore(1)).toBeUndefined()
      expect(await numberBefore(3)).toBe(2)
      expect(await numberBefore(4)).toBe(3)
      expect(await numberBefore(5)).toBe(3)
    })

    it('notes what its source was resolved to, and keeps the rest of the configuration', async () => {
      const { revisions } = open()
      const [revision, other] = [await revisionAt('BUILDING'), await revisionAt('BUILDING')]
      await revisions.setResolved(revision.id, { repo_commit_sha: 'c0ffee' })
      expect(await revisions.get(revision.deployment_id, revision.id)).toEqual({
        ...revision,
        source_revision_config: { ...revision.source_revision_config, repo_commit_sha: 'c0ffee' },
      })
      expect(await revisions.get(other.deployment_id, other.id)).toEqual(other)
    })

    it('notes its message, and the author and subject of its commit', async () => {
      const { revisions } = open()
      const { id, deployment_id, message } = await revisionAt('BUILDING')
      await revisions.setCommit(id, { author: 'Ann Ö', subject: 'Raise the limit' })
      expect(await revisions.get(deployment_id, id)).toMatchObject({
        message,
        commit_author: 'Ann Ö',
        commit_subject: 'Raise the limit',
      })
    })

    it('notes what was found out about parked threads', async () => {
      const { revisions } = open()
      const { id, deployment_id } = await revisionAt('DEPLOYING')
      const parked_threads = { checked_at: LATER, parked: 2, broken: 0, threads: [] }
      await revisions.setParkedThreads(id, parked_threads)
      expect(await revisions.get(deployment_id, id)).toMatchObject({ parked_threads })
    })

    it('notes whose build it takes', async () => {
      const { revisions } = open()
      const { id, deployment_id } = await revisionAt('BUILDING')
      await revisions.setBuiltFrom(id, 'another')
      expect(await revisions.get(deployment_id, id)).toMatchObject({ built_from: 'another' })
    })

    testMoves(open, revisionAt)
  })
}

function testMoves(
  open: () => ControlPlaneStore,
  revisionAt: (
    status: RevisionStatus,
    deployment_id?: string,
  ) => Promise<{ id: string; deployment_id: string }>,
): void {
  const pairs = REVISION_STATUSES.flatMap((from) => REVISION_STATUSES.map((to) => ({ from, to })))
  const inTable = ({ from, to }: (typeof pairs)[number]) => REVISION_TRANSITIONS[from].includes(to)

  it.each(pairs.filter(inTable))('moves from $from to $to', async ({ from, to }) => {
    const { revisions } = open()
    const { id, deployment_id } = await revisionAt(from)
    expect(await revisions.move(id, { from, to, updated_at: LATER })).toBe(true)
    expect(await revisions.get(deployment_id, id)).toMatchObject({ status: to, updated_at: LATER })
  })

  it('refuses every other move, and leaves the revision as it was', async () => {
    const { revisions } = open()
    for (const { from, to } of pairs.filter((pair) => !inTable(pair))) {
      const revision = await revisionAt(from)
      const refusal = revisions.move(revision.id, { from, to, updated_at: LATER })
      await expect(refusal).rejects.toThrow(`cannot go from ${from} to ${to}`)
      expect(await revisions.get(revision.deployment_id, revision.id)).toEqual(revision)
    }
  })

  it('does not move what is not at the status named', async () => {
    const { revisions } = open()
    const revision = await revisionAt('QUEUED')
    const step = { from: 'CREATING', to: 'QUEUED', updated_at: LATER } as const
    expect(await revisions.move(revision.id, step)).toBe(false)
    expect(await revisions.move(randomUUID(), step)).toBe(false)
    expect(await revisions.get(revision.deployment_id, revision.id)).toEqual(revision)
  })

  it('lets one of two that move at once win', async () => {
    const { revisions } = open()
    const { id } = await revisionAt('QUEUED')
    const steps = (['AWAITING_BUILD', 'INTERRUPTED'] as const).map((to) =>
      revisions.move(id, { from: 'QUEUED', to, updated_at: LATER }),
    )
    expect((await Promise.all(steps)).sort()).toEqual([false, true])
  })

  it('writes why, and keeps it when a later move says nothing', async () => {
    const { revisions } = open()
    const { id, deployment_id } = await revisionAt('CREATING')
    const told = {
      from: 'CREATING',
      to: 'QUEUED',
      status_message: 'why',
      updated_at: LATER,
    } as const
    await revisions.move(id, told)
    await revisions.move(id, { from: 'QUEUED', to: 'SKIPPED', updated_at: LATER })
    expect(await revisions.get(deployment_id, id)).toMatchObject({ status_message: 'why' })
  })

  it('writes since when it is deployed, and keeps that', async () => {
    const { revisions } = open()
    const { id, deployment_id } = await revisionAt('DEPLOYING')
    const deployed = { deployed_at: LATER, updated_at: LATER }
    await revisions.move(id, { from: 'DEPLOYING', to: 'DEPLOYED', ...deployed })
    await revisions.move(id, { from: 'DEPLOYED', to: 'DEPLOY_FAILED', updated_at: LATER })
    expect(await revisions.get(deployment_id, id)).toMatchObject({ deployed_at: LATER })
  })

  it.each(UNDER_WAY)('lets no second revision under way beside one at %s', async (status) => {
    const { revisions } = open()
    const { deployment_id } = await revisionAt(status)
    const second = await revisionAt('QUEUED', deployment_id)
    const step = { from: 'QUEUED', to: 'AWAITING_BUILD', updated_at: LATER } as const
    await expect(revisions.move(second.id, step)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('before #1 of its deployment has ended'),
    })
    await expect(revisionAt('BUILDING', deployment_id)).rejects.toThrow()
    const elsewhere = await revisionAt('QUEUED')
    expect(await revisions.move(elsewhere.id, step)).toBe(true)
  })

  it('lets the next revision under way when the one before has ended', async () => {
    const { revisions } = open()
    const first = await revisionAt('DEPLOYING')
    const second = await revisionAt('QUEUED', first.deployment_id)
    await revisions.move(first.id, { from: 'DEPLOYING', to: 'DEPLOYED', updated_at: LATER })
    const step = { from: 'QUEUED', to: 'AWAITING_BUILD', updated_at: LATER } as const
    expect(await revisions.move(second.id, step)).toBe(true)
  })

  it('refuses a status that is not in the list', async () => {
    await expect(revisionAt('DREAMING' as RevisionStatus)).rejects.toThrow()
  })
}

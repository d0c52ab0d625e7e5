/** What every store of leadership must do, and the store of a leader's term. */
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../src/core/deployment/control-plane-store.ts'
import type { Leadership } from '../../src/core/deployment/leadership.ts'
import { aDeployment } from '../support/control-plane/control-plane-records.ts'

export function testLeadershipStore(open: () => ControlPlaneStore): void {
  const take = async (holder: string): Promise<number> => {
    const { leadership } = open()
    return (await leadership.take(await leadership.get(), holder)) ?? 0
  }

  describe('leadership', () => {
    it('is nobody’s at first, and then that of the one who took it', async () => {
      const { leadership } = open()
      const first: Leadership = { token: 0, beat: 0, holder: null, url: '' }
      expect(await leadership.get()).toEqual(first)
      expect(await leadership.take(first, 'one')).toBe(1)
      expect(await leadership.renew(1, 'http://one')).toBe(true)
      const now = { token: 1, beat: 1, holder: 'one', url: 'http://one' }
      expect(await leadership.get()).toEqual(now)
    })

    it('is taken by one of many who try at once', async () => {
      const { leadership } = open()
      const seen = await leadership.get()
      const names = ['a', 'b', 'c', 'd', 'e']
      const tokens = await Promise.all(names.map((name) => leadership.take(seen, name)))
      expect(tokens.filter((token) => token !== undefined)).toEqual([1])
    })

    it('is not taken from one who has shown to live since', async () => {
      const { leadership } = open()
      const token = await take('one')
      const seen = await leadership.get()
      await leadership.renew(token, '')
      expect(await leadership.take(seen, 'other')).toBeUndefined()
    })

    it('is lost to who takes over, and given back by its holder alone', async () => {
      const { leadership } = open()
      const lost = await take('one')
      const token = await take('other')
      expect(await leadership.renew(lost, '')).toBe(false)
      await leadership.release(lost)
      expect(await leadership.get()).toMatchObject({ token, holder: 'other' })
      await leadership.release(token)
      expect(await leadership.get()).toMatchObject({ token, holder: null })
      expect(await leadership.renew(token, '')).toBe(false)
    })
  })

  describe('the store of a term', () => {
    const refusal = { code: 'unavailable' }

    it('reads and writes while nobody else leads', async () => {
      const term = { token: await take('one'), isSure: () => true }
      const store = open().under(term)
      const deployment = aDeployment()
      await store.transaction((tx) => tx.deployments.insert(deployment))
      const status = 'AWAITING_DELETE'
      const { updated_at } = deployment
      await store.deployments.update(deployment.id, { status, updated_at })
      expect(await open().deployments.get(deployment.id)).toMatchObject({ status })
    })

    it('writes nothing once another leads', async () => {
      const term = { token: await take('one'), isSure: () => true }
      const store = open().under(term)
      const deployment = aDeployment()
      await store.deployments.insert(deployment)
      await take('other')
      const { updated_at } = deployment
      const change = { status: 'AWAITING_DELETE', updated_at } as const
      await expect(store.deployments.update(deployment.id, change)).rejects.toMatchObject(refusal)
      const work = store.transaction((tx) => tx.deployments.update(deployment.id, change))
      await expect(work).rejects.toMatchObject(refusal)
      expect(await open().deployments.get(deployment.id)).toEqual(deployment)
    })

    it('does not even read while the leader is not sure, and goes on when it is again', async () => {
      let isSure = false
      const term = { token: await take('one'), isSure: () => isSure }
      const store = open().under(term)
      await expect(store.deployments.listIds()).rejects.toMatchObject(refusal)
      await expect(store.transaction(async () => {})).rejects.toMatchObject(refusal)
      isSure = true
      expect(await store.deployments.listIds()).toEqual([])
    })
  })
}

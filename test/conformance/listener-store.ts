/** What every store of listeners must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../src/core/deployment/control-plane-store.ts'
import { aListener } from '../support/control-plane/control-plane-records.ts'

const LATER = '2026-11-20T13:00:00.000Z'

export function testListenerStore(open: () => ControlPlaneStore): void {
  describe('listeners', () => {
    it('gives back a listener as it was stored, to its own workspace', async () => {
      const { listeners } = open()
      const listener = aListener()
      expect(await listeners.insert(listener)).toBe(true)
      expect(await listeners.get(listener.workspace_id, listener.id)).toEqual(listener)
      expect(await listeners.get(randomUUID(), listener.id)).toBeUndefined()
      expect(await listeners.get(listener.workspace_id, randomUUID())).toBeUndefined()
    })

    it('takes a compute id once in a workspace', async () => {
      const { listeners } = open()
      const listener = aListener()
      await listeners.insert(listener)
      const { compute_id } = listener
      expect(await listeners.insert(aListener({ compute_id }))).toBe(false)
      expect(await listeners.insert(aListener({ compute_id, workspace_id: randomUUID() }))).toBe(
        true,
      )
    })

    it('lists a workspace’s, newest first, a page at a time', async () => {
      const { listeners } = open()
      const workspace_id = randomUUID()
      const made = [0, 1, 2].map((hour) =>
        aListener({ workspace_id, created_at: `2026-11-20T1${hour}:00:00.000Z` }),
      )
      for (const listener of [...made, aListener()]) await listeners.insert(listener)
      const list = (limit: number, offset: number) =>
        listeners.list({ workspace_id, limit, offset })
      expect(await list(10, 0)).toEqual(made.toReversed())
      expect(await list(1, 1)).toEqual([made[1]])
      expect(await list(10, 3)).toEqual([])
    })

    it('changes what an update names, and nothing else', async () => {
      const { listeners } = open()
      const listener = aListener({ version: '1' })
      await listeners.insert(listener)
      const { workspace_id, id } = listener
      const compute_config = { k8s_namespaces: null }
      await listeners.update(id, { compute_config, updated_at: LATER })
      const changed = { ...listener, compute_config, updated_at: LATER }
      expect(await listeners.get(workspace_id, id)).toEqual(changed)
      await listeners.update(id, { version: '2', updated_at: LATER })
      expect(await listeners.get(workspace_id, id)).toEqual({ ...changed, version: '2' })
    })

    it('notes when one was heard, and changes nothing else', async () => {
      const { listeners } = open()
      const listener = aListener({ version: '1' })
      await listeners.insert(listener)
      await listeners.noteHeard(listener.id, LATER)
      const found = await listeners.get(listener.workspace_id, listener.id)
      expect(found).toEqual({ ...listener, last_heard_at: LATER })
    })

    it('removes one, and frees its compute id', async () => {
      const { listeners } = open()
      const listener = aListener()
      await listeners.insert(listener)
      await listeners.delete(listener.id)
      expect(await listeners.get(listener.workspace_id, listener.id)).toBeUndefined()
      expect(await listeners.insert(aListener({ compute_id: listener.compute_id }))).toBe(true)
    })
  })
}

/** What every store of the audit log must do. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ControlPlaneStore } from '../../src/core/deployment/control-plane-store.ts'
import type { AuditEntry, AuditFilter } from '../../src/core/people/audit.ts'
import { anAuditEntry } from '../support/control-plane/control-plane-records.ts'

export function testAuditLogStore(open: () => ControlPlaneStore): void {
  const workspace_id = randomUUID()
  const anEntry = (change: Partial<AuditEntry> = {}) => anAuditEntry({ workspace_id, ...change })

  describe('the audit log', () => {
    it('answers entries as they were written, newest first, page by page', async () => {
      const { auditLog } = open()
      const entries = [anEntry(), anEntry({ actor_kind: 'user', target_name: null }), anEntry()]
      for (const entry of entries) await auditLog.append(entry)
      const first = await auditLog.list({ workspace_id }, { limit: 2 })
      expect(first.entries).toEqual([entries[2], entries[1]])
      const second = await auditLog.list({ workspace_id }, { limit: 2, before: first.next })
      expect(second).toEqual({ entries: [entries[0]], next: undefined })
      const whole = await auditLog.list({ workspace_id }, { limit: 3 })
      expect(whole.next).toBeUndefined()
    })

    it('keeps workspaces apart', async () => {
      const { auditLog } = open()
      await auditLog.append(anEntry({ workspace_id: randomUUID() }))
      expect((await auditLog.list({ workspace_id }, { limit: 1 })).entries).toEqual([])
    })

    it.each<[string, Omit<AuditFilter, 'workspace_id'>, number[]]>([
      ['the actor', { actor_id: 'key-2' }, [1]],
      ['the action', { action: 'deployment.delete' }, [1]],
      ['the noun of the action', { action: 'deployment' }, [1, 0]],
      ['the target', { target_id: 'revision-1' }, [2]],
      ['a time', { since: '2026-11-20T12:00:01.000Z', until: '2026-11-20T12:00:02.000Z' }, [1]],
      ['a part of a name, in any case', { text: 'LapTo' }, [2, 0]],
      ['a part of the target’s name', { text: '100%_' }, [2]],
      ['all of it together', { action: 'deployment', text: 'support' }, [1, 0]],
    ])('is searched by %s', async (_, filter, found) => {
      const { auditLog } = open()
      const times = [0, 1, 2].map((second) => `2026-11-20T12:00:0${second}.000Z`)
      const [a = '', b = '', c = ''] = times
      const entries = [
        anEntry({ created_at: a }),
        anEntry({
          created_at: b,
          actor_id: 'key-2',
          actor_name: 'ci',
          action: 'deployment.delete',
        }),
        anEntry({
          created_at: c,
          action: 'revision.create',
          target_id: 'revision-1',
          target_name: '100%_mine',
        }),
      ]
      for (const entry of entries) await auditLog.append(entry)
      const { entries: answered } = await auditLog.list({ workspace_id, ...filter }, { limit: 9 })
      expect(answered).toEqual(found.map((index) => entries[index]))
    })

    it('writes an entry with the change that it tells of, or neither', async () => {
      const store = open()
      const work = store.transaction(async (tx) => {
        await tx.auditLog.append(anEntry())
        throw new Error('changed my mind')
      })
      await expect(work).rejects.toThrow('changed my mind')
      expect((await store.auditLog.list({ workspace_id }, { limit: 1 })).entries).toEqual([])
    })
  })
}
